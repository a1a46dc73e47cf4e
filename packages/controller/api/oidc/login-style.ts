/** How the login pages look. Its hash stands in their security policy, so it is sent as it is here. */
export const loginStyle = `
:root { color-scheme: light dark; --ink: #1b2430; --paper: #f4f6f8; --card: #fff; --line: #b8c2cc; --act: #0b5cad; --bad: #a4161a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8edf2; --paper: #12171d; --card: #1c232b; --line: #46525f; --act: #6cb2f5; --bad: #ff8a8a; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
main { width: min(24rem, 100vw - 1rem); margin: 0.5rem 0; padding: clamp(1rem, 6vw, 2rem); background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; }
label { display: block; margin: 0.75rem 0 0.25rem; font-weight: 600; }
input { width: 100%; padding: 0.6rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line);
  border-radius: 4px; }
button { width: 100%; margin-top: 1.25rem; padding: 0.65rem; font: inherit; font-weight: 600; color: var(--card);
  background: var(--act); border: 0; border-radius: 4px; cursor: pointer; }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 3px solid var(--act); outline-offset: 2px; }
a { color: var(--act); overflow-wrap: anywhere; }
img { display: block; max-width: 100%; height: auto; margin: 0 auto; background: #fff; }
code { overflow-wrap: anywhere; }
.problem { color: var(--bad); font-weight: 600; }
.codes { columns: 2; padding-left: 1.25rem; }
`
