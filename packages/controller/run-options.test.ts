import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, describe, test } from 'node:test'
import { createPki } from '@weft/pki'
import { systemClock } from './clock.ts'
import { loadControllerConfig } from './config/load-controller-config.ts'
import { createLogger } from './log/logger.ts'
import { runOptions } from './run-options.ts'

const directory = await mkdtemp(join(tmpdir(), 'weft-run-options-'))
after(() => rm(directory, { recursive: true, force: true }))
const { files } = await createPki({
  directory: join(directory, 'pki'),
  trustDomain: 'weft',
  controllerId: 'controller',
  hosts: ['127.0.0.1'],
  clock: systemClock,
})

/** The APIs of the one web server of a file. */
async function servedApis({ api = '', oidc = '' }: { readonly api?: string; readonly oidc?: string }) {
  const file = join(directory, 'controller.yml')
  const text = `v: 3
db: ${join(directory, 'controller.db')}
identity:
  cert: ${files.clientChain}
  key: ${files.clientKey}
  server_cert: ${files.serverChain}
  server_key: ${files.serverKey}
  ca: ${files.caBundle}
ctrl:
  listener: "tls:127.0.0.1:6262"
edge:
  api:
    address: "127.0.0.1:1280"
    ${api}
  enrollment:
    signingCert:
      cert: ${files.intermediateCert}
      key: ${files.intermediateKey}
web:
  - name: api
    bindPoints:
      - interface: "127.0.0.1:1280"
        address: "127.0.0.1:1280"
    apis:
      - binding: edge-client
      ${oidc}
`
  await writeFile(file, text)
  const { config } = loadControllerConfig(file, {})
  await using log = createLogger({ stream: new PassThrough() }, { level: 'error', format: 'json' })
  const { options } = await runOptions(config, { clock: systemClock, log, baseDirectory: directory })
  return options.web[0]!.apis
}

describe('the OIDC provider', () => {
  test('is served beside the client API unless the file says otherwise', async () => {
    const bindings = async (api: string) => (await servedApis({ api })).map(({ binding }) => binding)
    assert.deepEqual(await bindings(''), ['edge-client', 'edge-oidc'])
    assert.deepEqual(await bindings('disableOidcAutoBinding: false'), ['edge-client', 'edge-oidc'])
    assert.deepEqual(await bindings('disableOidcAutoBinding: true'), ['edge-client'])
  })

  test('that the file lists is served though it would not be by itself', async () => {
    const listed = { api: 'disableOidcAutoBinding: true', oidc: '- binding: edge-oidc' }
    assert.deepEqual(
      (await servedApis(listed)).map(({ binding }) => binding),
      ['edge-client', 'edge-oidc'],
    )
  })
})
