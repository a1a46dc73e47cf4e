import { describeSchema } from '@weft/model/config-file'
import { controllerSchema } from './controller-schema.ts'

const introduction = `
The controller takes OpenZiti 2.1's controller file. \`weft controller run FILE\` reads it once, at start.

- **All problems at once.** Whatever is wrong is shown with its line and column, and the controller does not start. An
  unknown key is only warned about, with the nearest known one.
- **Environment.** \`$NAME\` and \`\${NAME}\` in text values are replaced; a variable that is not set stands for nothing,
  with a warning. \`TMP\`, \`TEMP\` and \`TMPDIR\` are always the directory for temporary files. Where a number or a flag is
  wanted, text from the environment may spell one.
- **YAML 1.1.** \`yes\`, \`no\`, \`on\` and \`off\` are true and false, \`0700\` is octal. A file is one document of at most
  1 MiB, in UTF-8. Of a key that stands twice the last counts, with a warning.
- **Durations** are numbers with units: \`5s\`, \`1m30s\`, \`180m\`, \`250ms\`.
- **Addresses** are \`host:port\`, IPv6 hosts in brackets: \`[::1]:1280\`.
- **Paths** that are relative start at the working directory of the process, not at the file.

A small complete file:

\`\`\`yaml
v: 3
db: ctrl.db
identity: { cert: ctrl.cert, server_cert: ctrl.server.chain.pem, key: ctrl.key, ca: cas.pem }
ctrl: { listener: "tls:0.0.0.0:6262", options: { advertiseAddress: "tls:ctrl.example.net:6262" } }
edge:
  api: { address: "ctrl.example.net:1280" }
  enrollment: { signingCert: { cert: signing.cert, key: signing.key } }
web:
  - name: main
    bindPoints: [ { interface: "0.0.0.0:1280", address: "ctrl.example.net:1280" } ]
    apis: [ { binding: edge-management }, { binding: edge-client }, { binding: fabric }, { binding: health-checks } ]
\`\`\`
`

/** The page `docs/reference/controller-config.md`, written from the schema. */
export function controllerConfigPage(): string {
  return describeSchema(controllerSchema, { title: "The controller's configuration file", introduction })
}
