import { describeSchema } from '@weft/model/config-file'
import { routerSchema } from './router-schema.ts'

const introduction = `
The router takes OpenZiti 2.1's router file. \`weft router run FILE\` reads it once, at start; \`weft router config NAME\`
writes one.

- **All problems at once.** Whatever is wrong is shown with its line and column, and the router does not start. An
  unknown key is only warned about, with the nearest known one.
- **Environment.** \`$NAME\` and \`\${NAME}\` in text values are replaced; a variable that is not set stands for nothing,
  with a warning. \`TMP\`, \`TEMP\` and \`TMPDIR\` are always the directory for temporary files. Where a number or a flag is
  wanted, text from the environment may spell one.
- **YAML 1.1.** \`yes\`, \`no\`, \`on\` and \`off\` are true and false, \`0700\` is octal. A file is one document of at most
  1 MiB, in UTF-8. Of a key that stands twice the last counts, with a warning.
- **Durations** are numbers with units: \`5s\`, \`1m30s\`, \`180m\`, \`250ms\`.
- **Addresses** are \`protocol:host:port\` or \`host:port\`, IPv6 hosts in brackets: \`tls:[::1]:3022\`.
- **Paths** that are relative start at the working directory of the process, not at the file; only the defaults of
  \`ctrl.endpointsFile\` and \`edge.db\` lie beside it.
- **What is left out.** Without \`edge\` the router serves no clients and only carries; without listeners and dialers in
  \`link\` it has no links; without \`csr\` it cannot enroll, and its certificates are renewed with the names that they
  have; without \`web\` it has no HTTP server.

A small complete file:

\`\`\`yaml
v: 3
identity: { cert: r1.cert, server_cert: r1.server.chain.cert, key: r1.key, ca: r1.cas }
ctrl: { endpoint: "tls:ctrl.example.net:1280" }
link:
  dialers: [ { binding: transport } ]
  listeners:
    - { binding: transport, bind: "tls:0.0.0.0:3022", advertise: "tls:r1.example.net:3022", groups: [default] }
listeners:
  - { binding: edge, address: "tls:0.0.0.0:3022", options: { advertise: "r1.example.net:3022" } }
  - { binding: tunnel, options: { mode: host } }
edge:
  csr: { country: US, organization: Example, sans: { dns: [r1.example.net], ip: ["127.0.0.1"] } }
\`\`\`

Links, clients, controllers that dial and the HTTP server may share a port, because connections say which they are. Then
all of them have the same TLS versions.
`

/** The page `docs/reference/router-config.md`, written from the schema. */
export function routerConfigPage(): string {
  return describeSchema(routerSchema, { title: "The router's configuration file", introduction })
}
