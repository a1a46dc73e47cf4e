/**
 * The pages of docs/reference that are written from declarations: `npm run docs` writes them, a test compares them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiErrors, controllerConfigPage } from '@weft/controller'
import { routerConfigPage } from '@weft/router'
import { messagesPage } from './messages-page.ts'

const root = join(import.meta.dirname, '..')

/** Path below the root, and what must stand there. */
export const referencePages: readonly { readonly path: string; readonly render: () => string }[] = [
  { path: 'docs/reference/controller-config.md', render: controllerConfigPage },
  { path: 'docs/reference/router-config.md', render: routerConfigPage },
  { path: 'docs/reference/errors.md', render: errorsPage },
  { path: 'docs/reference/messages.md', render: messagesPage },
]

export function readPage(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function errorsPage(): string {
  const rows = Object.entries(apiErrors).map(
    ([code, { status, message }]) => `| \`${code}\` | ${status} | ${message} |`,
  )
  return `# Errors of the HTTP APIs

Every refusal has one of these codes in \`error.code\`; programs should branch on it. \`error.cause\` says what exactly was wrong, and
\`error.requestId\` is also in the controller's log.

| code | status | message |
|---|---|---|
${rows.join('\n')}
`
}

if (import.meta.main) {
  for (const { path, render } of referencePages) writeFileSync(join(root, path), render())
}
