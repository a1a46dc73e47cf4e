/** The style sheet of the docs page. */
export const docsStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 16rem 1fr; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem; border-right: 1px solid var(--line); }
nav ul { list-style: none; padding: 0; }
main { padding: 1.5rem 2.5rem; min-width: 0; max-width: 70rem; }
a { color: inherit; }
code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; }
summary span { opacity: .7; }
summary b { display: inline-block; min-width: 4.5rem; font: 700 12px ui-monospace, monospace; }
.get { color: #2a7de1; } .post { color: #2a9d4a; } .put, .patch { color: #c77700; } .delete { color: #d33; }
table { border-collapse: collapse; width: 100%; margin: .6rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--soft); }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; } }
`
