import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { createDemux } from './demux.ts'
import { readTarget } from './request-handler.ts'
import { createSinglePageApp } from './single-page-app.ts'

const home = await mkdtemp(join(tmpdir(), 'weft-spa-'))
const location = join(home, 'console')
await mkdir(join(location, 'assets'), { recursive: true })
await writeFile(join(location, 'index.html'), 'the index')
await writeFile(join(location, 'assets', 'app.js'), 'the script')
await writeFile(join(home, 'secret.txt'), 'a secret')
await mkdir(join(home, 'console-other'))
await writeFile(join(home, 'console-other', 'secret.txt'), 'a secret')
await symlink(join(home, 'secret.txt'), join(location, 'link.txt'))

const log = { debug() {}, warn() {}, error() {} }
const app = createSinglePageApp({ path: 'zac', location, indexFile: 'index.html' }, log)
const api = createDemux([
  { name: 'spa', root: '/zac', handle: app },
  { name: 'rest', root: '/rest', isDefault: true, handle: (_request, response) => response.end('the API') },
])
const server = createServer((incoming, response) => api(incoming, response, readTarget(incoming.url!)))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

after(async () => {
  server.close()
  await rm(home, { recursive: true })
})

async function ask(path: string, method = 'GET') {
  const asked = request({ host: '127.0.0.1', port, path, method, agent: false }).end()
  const [response] = await once(asked, 'response')
  return { status: response.statusCode, body: await text(response), type: response.headers['content-type'] }
}

const answers: readonly [path: string, body: string][] = [
  ['/zac', 'the index'],
  ['/zac/', 'the index'],
  ['/zac/assets/app.js', 'the script'],
  ['/zac/a/page/of/the/application', 'the index'],
  ['/zacfoo', 'the API'],
  ['/zac../secret.txt', 'the API'],
  ['/zac/../secret.txt', 'the index'],
  ['/zac/..%2fsecret.txt', 'the index'],
  ['/zac/%2e%2e/console-other/secret.txt', 'the index'],
  ['/zac/link.txt', 'the index'],
  ['/zac/%00', 'the index'],
  ['/zac/%zz', 'the index'],
]

for (const [path, body] of answers) {
  test(`files of an application stay in its folder: ${path} gets ${body}`, async () => {
    const answer = await ask(path)
    assert.deepEqual([answer.status, answer.body], [200, body])
  })
}

test('an application is only read', async () => {
  assert.equal((await ask('/zac', 'POST')).status, 405)
  assert.deepEqual(await ask('/zac', 'HEAD'), { status: 200, body: '', type: 'text/html; charset=utf-8' })
})
