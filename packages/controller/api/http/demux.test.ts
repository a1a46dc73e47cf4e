import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDemux } from './demux.ts'
import { clientPaths, managementPaths } from './edge-paths.ts'
import type { RequestHandler } from './request-handler.ts'
import { ask, openWeb } from './test-web.ts'

/** Answers with its name and the path it was given. */
const naming =
  (name: string): RequestHandler =>
  (_request, response, { path, search }) => {
    response.end(`${name} ${path}${search === '' ? '' : ` ${search}`}`)
  }

async function asked(handle: RequestHandler, ...paths: readonly string[]): Promise<string[]> {
  await using web = await openWeb({
    handle: (request, response, target) => handle(request, asLengthed(response), target),
  })
  const bodies: string[] = []
  for (const path of paths) bodies.push((await ask(web.port, { path })).body)
  return bodies
}

/** The wire client of the tests reads by content length. */
function asLengthed(response: Parameters<RequestHandler>[1]): Parameters<RequestHandler>[1] {
  const end = response.end.bind(response)
  response.end = ((text?: string) => {
    response.setHeader('content-length', Buffer.byteLength(text ?? ''))
    return end(text)
  }) as typeof response.end
  return response
}

const edge = createDemux([
  { name: 'health-checks', root: '/health-checks', handle: naming('health') },
  { name: 'edge-client', isDefault: true, ...clientPaths, handle: naming('client') },
  { name: 'edge-management', ...managementPaths, handle: naming('management') },
  { name: 'fabric', root: '/fabric/v1', handle: naming('fabric') },
  { name: 'edge-oidc', root: '/oidc', handle: naming('oidc') },
])

const paths: [string, string][] = [
  ['/', 'client /edge/client/v1/version'],
  ['/version', 'client /edge/client/v1/version'],
  ['/version?x=1', 'client /edge/client/v1/version x=1'],
  ['/.well-known/est/cacerts', 'client /edge/client/v1/.well-known/est/cacerts'],
  ['/.well-known/openid-configuration', 'client /.well-known/openid-configuration'],
  ['/edge/v1', 'client /edge/client/v1'],
  ['/edge/v1/version', 'client /edge/client/v1/version'],
  ['/edge/v1x', 'client /edge/v1x'],
  ['/edge/client/v1/services', 'client /edge/client/v1/services'],
  ['/edge/management/v1', 'management /edge/management/v1'],
  ['/edge/management/v1//.well-known/est/cacerts', 'management /edge/management/v1//.well-known/est/cacerts'],
  ['/edge/management/version', 'client /edge/management/version'],
  ['/edge/', 'client /edge/'],
  ['/nope/nope', 'client /edge/client/v1/nope/nope'],
  ['/enroll?method=ott', 'client /edge/client/v1/enroll method=ott'],
  ['/fabric/v1/routers', 'fabric /fabric/v1/routers'],
  ['/fabric', 'client /fabric'],
  ['/oidc', 'oidc /oidc'],
  ['/oidc/login', 'oidc /oidc/login'],
  ['/oidcx', 'client /edge/client/v1/oidcx'],
  ['/health-checks/controller/raft', 'health /health-checks/controller/raft'],
  ['/metrics', 'client /edge/client/v1/metrics'],
  ['https://any.example/edge/v1/version', 'client /edge/client/v1/version'],
]

const web = await openWeb({ handle: (request, response, target) => edge(request, asLengthed(response), target) })
after(() => web.close())

for (const [path, taken] of paths) {
  test(`${path} is taken by ${taken}`, async () => assert.equal((await ask(web.port, { path })).body, taken))
}

test('the first binding in order takes what several claim', async () => {
  const handle = createDemux([
    { name: 'edge-management', ...managementPaths, handle: naming('management') },
    { name: 'edge-client', isDefault: true, ...clientPaths, handle: naming('client') },
  ])
  const [version, other] = await asked(handle, '/version', '/services')
  assert.equal(version, 'management /edge/management/v1/version')
  assert.equal(other, 'client /edge/client/v1/services')
})

test('without a default the last binding takes the rest', async () => {
  const handle = createDemux([
    { name: 'a', root: '/a', handle: naming('a') },
    { name: 'b', root: '/b', handle: naming('b') },
  ])
  assert.deepEqual(await asked(handle, '/a/x', '/c'), ['a /a/x', 'b /c'])
})

test('a server without bindings answers 404 with nothing', async () => {
  await using empty = await openWeb({ handle: createDemux([]) })
  const answer = await ask(empty.port, { path: '/' })
  assert.equal(answer.status, 404)
  assert.equal(answer.body, '')
})

test('two defaults are refused when the server is made', () => {
  const binding = { root: '/a', isDefault: true, handle: naming('a') }
  assert.throws(
    () =>
      createDemux([
        { ...binding, name: 'one' },
        { ...binding, name: 'two' },
      ]),
    /only one API can be the default, but one and two are/,
  )
})
