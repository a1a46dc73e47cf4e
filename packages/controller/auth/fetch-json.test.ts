import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { type DestinationRules, FetchDestinations } from './fetch-destinations.ts'
import { fetchJson } from './fetch-json.ts'

const open: DestinationRules = {
  blockPrivateAddresses: false,
  deniedIPs: [],
  allowedIPs: [],
  deniedHostnames: [],
  allowedHostnames: [],
}
const limits = { timeout: 3_000, maxRedirects: 5 }

let asked = 0
const paths: Readonly<Record<string, RequestListener>> = {
  '/keys': (_request, response) => response.setHeader('content-type', 'application/json').end('{"keys":[]}'),
  '/jwk-set': (_request, response) => {
    response.setHeader('content-type', 'application/jwk-set+json; charset=utf-8').end('{"keys":[]}')
  },
  '/html': (_request, response) => response.setHeader('content-type', 'text/html').end('{"keys":[]}'),
  '/broken': (_request, response) => response.setHeader('content-type', 'application/json').end('{"keys":'),
  '/error': (_request, response) => response.writeHead(500, { 'content-type': 'application/json' }).end('{}'),
  '/packed': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('x')
  },
  '/endless': (_request, response) => {
    response.setHeader('content-type', 'application/json')
    const more = () => void (response.write(' '.repeat(65_536)) ? setImmediate(more) : response.once('drain', more))
    response.once('close', () => response.removeAllListeners('drain'))
    more()
  },
  '/silent': () => undefined,
  '/slow': (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
  '/round': (_request, response) => response.writeHead(302, { location: '/round' }).end(),
  '/hop': (_request, response) => response.writeHead(307, { location: '/keys' }).end(),
  '/metadata': (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
  '/file': (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/nowhere': (_request, response) => response.writeHead(302).end(),
  '/mapped': (_request, response) => {
    response.writeHead(302, { location: 'http://[::ffff:169.254.169.254]/' }).end()
  },
}
const server = createServer((request, response) => {
  asked++
  paths[request.url ?? '']!(request, response)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => {
  server.closeAllConnections()
  server.close()
})
const { port } = server.address() as AddressInfo
const base = `http://127.0.0.1:${port}`

function get(path: string, rules: Partial<DestinationRules> = {}, own: Partial<typeof limits> = {}): Promise<unknown> {
  const url = path.startsWith('/') ? base + path : path
  return fetchJson(url, new FetchDestinations({ ...open, ...rules }), { ...limits, ...own })
}

for (const path of ['/keys', '/jwk-set', '/hop']) {
  test(`${path} is fetched`, async () => assert.deepEqual(await get(path), { keys: [] }))
}

const failing: Readonly<Record<string, RegExp>> = {
  '/html': /content type/,
  '/broken': /JSON/,
  '/error': /status 500/,
  '/packed': /compressed/,
  '/endless': /longer than/,
  '/round': /more than 5 redirects/,
  '/nowhere': /redirect to nowhere/,
}
for (const [path, message] of Object.entries(failing)) {
  test(`${path} is refused`, () => assert.rejects(get(path), { code: 'FETCH_FAILED', message }))
}

for (const path of ['/silent', '/slow']) {
  test(`${path} is not waited for`, async () => {
    const start = performance.now()
    await assert.rejects(get(path, {}, { timeout: 200 }), { code: 'FETCH_FAILED', message: /within 200 ms/ })
    assert.ok(performance.now() - start < 2_000)
  })
}

describe('SSRF', () => {
  for (const path of ['/metadata', '/mapped']) {
    test(`a redirect to the metadata service is not followed (${path})`, () =>
      assert.rejects(get(path), { code: 'FETCH_FAILED', message: /metadata, link-local or unspecified/ }))
  }

  test('a redirect leads to http and https only', () =>
    assert.rejects(get('/file'), { code: 'FETCH_FAILED', message: /only http and https/ }))

  const addresses = [
    'http://169.254.169.254/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://2852039166/',
    'http://[64:ff9b::a9fe:a9fe]/',
  ]
  for (const url of addresses) {
    test(`${url} is not dialled`, () => assert.rejects(get(url), { code: 'FETCH_FAILED', message: /metadata/ }))
  }

  test('a name is judged by the address it has when it is dialled', async () => {
    const before = asked
    const url = `http://localhost:${port}/keys`
    await assert.rejects(get(url, { deniedIPs: ['127.0.0.0/8', '::1'] }), { message: /is denied/ })
    await assert.rejects(get(url, { blockPrivateAddresses: true }), { message: /is private/ })
    assert.equal(asked, before)
  })

  test('private addresses can be blocked, with exceptions', async () => {
    await assert.rejects(get('/keys', { blockPrivateAddresses: true }), { message: /is private/ })
    for (const url of ['http://10.1.2.3/', 'http://[::1]/', 'http://[fd00::1]/', 'http://[::ffff:10.0.0.1]/']) {
      await assert.rejects(get(url, { blockPrivateAddresses: true }), { message: /is private/ })
    }
    assert.ok(await get('/keys', { blockPrivateAddresses: true, allowedIPs: ['127.0.0.1'] }))
    const metadata = get('http://169.254.169.254/', { allowedIPs: ['169.254.0.0/16'] })
    await assert.rejects(metadata, { message: /metadata/ })
  })

  test('names can be denied, or be the only ones allowed', async () => {
    const url = `http://localhost:${port}/keys`
    await assert.rejects(get(url, { deniedHostnames: ['localhost'] }), { message: /is denied/ })
    await assert.rejects(get(url, { allowedHostnames: ['*.example.com'] }), { message: /not among/ })
    await assert.rejects(get('/keys', { allowedHostnames: ['localhost'] }), { message: /not among/ })
    await assert.rejects(get(`http://localhost.:${port}/keys`, { deniedHostnames: ['localhost'] }), {
      message: /is denied/,
    })
    assert.ok(await get(url, { allowedHostnames: ['localhost'] }))
  })
})
