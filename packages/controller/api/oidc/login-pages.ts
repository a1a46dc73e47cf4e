/**
 * The pages on which a person signs in. They work without scripts, load nothing from elsewhere, and may not be framed.
 *
 * A browser follows the redirects of a form only to places that the policy of the page names, so the way back to the
 * client stands in it.
 */
import { createHash } from 'node:crypto'
import qrcode from 'qrcode'
import { ApiError } from '../../operation/api-error.ts'
import type { Answer } from '../../operation/operation.ts'
import { asHtml, html } from './answers.ts'
import type { AuthRequest } from './auth-requests.ts'
import { paths } from './discovery.ts'
import type { LoginQuery } from './login-steps.ts'
import { loginStyle } from './login-style.ts'
import { withParameters } from './redirect-uris.ts'

/** What a person needs to enroll a second factor. */
export interface Enrollment {
  readonly url: string
  readonly recoveryCodes: readonly string[]
  readonly problem: Error | undefined
}

/** What became of the last attempt, if there was one. */
export interface PasswordPage {
  readonly problem?: Error
  readonly status?: number
  readonly username?: string | undefined
}

const styleHash = createHash('sha256').update(loginStyle).digest('base64')

export class LoginPages {
  /** Name and password. Whoever has mistyped the one does not have to type the other again. */
  password(request: AuthRequest | undefined, { problem, status = 200, username = '' }: PasswordPage = {}): Answer {
    const id = request?.id ?? ''
    const [nameFocus, passwordFocus] = username === '' ? [' autofocus', ''] : ['', ' autofocus']
    const form = `<form method="post" action="${action(paths.loginUsername, id)}">
${hiddenId(id)}
<label for="username">User name</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="100" required value="${asHtml(username)}"${nameFocus}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="100" required${passwordFocus}>
<button type="submit">Sign in</button>
</form>`
    return page(request, 'Sign in', form, { problem, status, headers: { 'auth-request-id': id } })
  }

  /** What is still asked for, one at a time. */
  nextFactor(
    request: AuthRequest,
    queries: readonly LoginQuery[],
    headers: Record<string, string>,
    problem?: Error,
  ): Answer {
    const [first] = queries
    if (first?.typeId === 'TOTP') {
      return first['isTotpEnrolled'] === true
        ? this.code(request, headers, problem)
        : this.#startEnrollment(request, headers)
    }
    const where = typeof first?.['httpUrl'] === 'string' ? first['httpUrl'] : undefined
    const link =
      where !== undefined && /^https?:/i.test(where) ? `<p><a href="${asHtml(where)}">${asHtml(where)}</a></p>` : ''
    const text = '<p>Your account also needs a sign-in with another provider. Use an application that supports it.</p>'
    return page(request, 'One more sign-in', text + link, { headers })
  }

  /** A one-time code. */
  code(request: AuthRequest, headers: Record<string, string> = {}, problem?: Error, status = 200): Answer {
    const form = `<p>Enter the code that your authenticator app shows, or one of your recovery codes.</p>
${codeForm(paths.totp, request.id, { label: 'Continue', isFirst: true })}`
    return page(request, 'Enter your code', form, { problem, status, headers })
  }

  #startEnrollment(request: AuthRequest, headers: Record<string, string>): Answer {
    const form = `<p>Your account needs a second factor: an app on your phone that shows one-time codes.</p>
<form method="post" action="${action(paths.totpEnroll, request.id)}">
${hiddenId(request.id)}
<button type="submit" autofocus>Set it up</button>
</form>`
    return page(request, 'Set up a second factor', form, { headers })
  }

  /** The seed as a picture and as text, the recovery codes, and where to prove that it works. */
  async enrollment(request: AuthRequest, { url, recoveryCodes, problem }: Enrollment): Promise<Answer> {
    const png = await qrcode.toBuffer(url, { type: 'png', width: 256, errorCorrectionLevel: 'M' })
    const seed = new URL(url).searchParams.get('secret') ?? ''
    const codes = recoveryCodes.map((code) => `<li><code>${asHtml(code)}</code></li>`).join('')
    const content = `<p>Scan this with your authenticator app, or type in the key below it.</p>
<img alt="QR code for your authenticator app" width="256" height="256" src="data:image/png;base64,${png.toString('base64')}">
<p><code id="seed">${asHtml(seed)}</code></p>
<p>Keep these recovery codes in a safe place. Each one works once, when your phone is not at hand.</p>
<ul class="codes">${codes}</ul>
<p>Then enter the code that the app shows.</p>
${codeForm(paths.totpVerify, request.id, { label: 'Finish', isFirst: problem !== undefined })}`
    return page(request, 'Set up a second factor', content, { problem, status: problem === undefined ? 201 : 400 })
  }

  /** When there is nothing to go on with. */
  failure(problem: Error, status: number): Answer {
    return page(undefined, 'This sign-in cannot go on', '<p>Go back to the application and start again.</p>', {
      problem,
      status,
    })
  }
}

interface PageOptions {
  readonly problem?: Error | undefined
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

function page(request: AuthRequest | undefined, title: string, content: string, options: PageOptions): Answer {
  const { problem, status = 200, headers = {} } = options
  const alert = problem === undefined ? '' : `<p class="problem" role="alert">${asHtml(wording(problem))}</p>`
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${asHtml(title)}</title>
<style>${loginStyle}</style>
</head>
<body>
<main>
<h1>${asHtml(title)}</h1>
${alert}
${content}
</main>
</body>
</html>
`
  const told = problem instanceof ApiError ? problem.headers : {}
  return html(status, text, { ...told, ...headers, ...guards(request) })
}

function guards(request: AuthRequest | undefined): Record<string, string> {
  const back = request === undefined ? '' : ` ${sourceOf(request.asked.redirectUri)}`
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    `form-action 'self'${back}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  }
}

/** The origin of a URI of the web, the scheme of any other. */
function sourceOf(uri: string): string {
  const { protocol, origin } = new URL(uri)
  return protocol === 'http:' || protocol === 'https:' ? origin : protocol
}

function wording(problem: Error): string {
  const code = (problem as { code?: unknown }).code
  if (code === 'INVALID_AUTH') return 'The user name or the password is wrong.'
  if (code === 'INVALID TOTP CODE' || code === 'MFA_INVALID_TOKEN') return 'That code is not right.'
  if (code === 'COULD_NOT_VALIDATE') return 'Enter both your user name and your password.'
  if (code === 'UNAUTHORIZED') return 'This sign-in has expired or was finished already.'
  if (problem instanceof ApiError && problem.status === 429) return 'Too many attempts. Wait a little and try again.'
  return 'Something went wrong.'
}

interface CodeForm {
  readonly label: string
  /** Whether a person comes to it first: a page on which something must be read before does not scroll past that. */
  readonly isFirst: boolean
}

function codeForm(path: string, id: string, { label, isFirst }: CodeForm): string {
  return `<form method="post" action="${action(path, id)}">
${hiddenId(id)}
<label for="code">Code</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="8" required${isFirst ? ' autofocus' : ''}>
<button type="submit">${asHtml(label)}</button>
</form>`
}

function action(path: string, id: string): string {
  return asHtml(withParameters(`/oidc${path}`, { authRequestID: id }))
}

function hiddenId(id: string): string {
  return `<input type="hidden" name="id" value="${asHtml(id)}">`
}
