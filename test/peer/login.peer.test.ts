/** The stock CLI finds, trusts and logs in to our controller. */
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import test, { after } from 'node:test'
import { ApiClient } from '../kit/api-client.ts'
import { admin } from '../kit/controller-process.ts'
import { PeerNetwork } from './peer-network.ts'

const network = await PeerNetwork.start()
after(() => network[Symbol.asyncDispose]())
const { cli, credentials } = network
const { url, port } = network.controller

test('logs in with a password and a file of certificates', async () => {
  const said = await cli.says('edge', 'login', url, ...credentials, '--ca', network.caFile, '-i', 'by-file')
  assert.match(said, /^Saving identity 'by-file' to .*ziti-cli\.json$/m)
  await cli.says('edge', 'list', 'identities', '-i', 'by-file')
})

test('takes the certificates from the controller and keeps them', async () => {
  const said = await cli.says('edge', 'login', url, ...credentials, '-y', '-i', 'by-trust')
  assert.match(said, /^Verified that server supplied certificates are trusted by server$/m)
  assert.match(said, /^Server supplied 2 certificates$/m)
  const kept = await network.read(`ziti/certs/127.0.0.1_${port}`)
  assert.ok(kept.includes(network.controller.ca.trim()), kept)
  const again = await cli.says('edge', 'login', url, ...credentials, '-i', 'by-trust')
  assert.doesNotMatch(again, /certificates/, 'asked again for what it has')
})

for (const [form, address] of [
  ['host and port', `127.0.0.1:${port}`],
  ['another name of the host', `localhost:${port}`],
  ['the path of the API', `${url}/edge/management/v1`],
  ['that path and a slash', `${url}/edge/management/v1/`],
] as const) {
  test(`finds the API by ${form}`, async () => {
    await cli.says('edge', 'login', address, ...credentials, '-y', '-i', 'elsewhere')
    assert.match(await cli.says('edge', 'version', '-i', 'elsewhere'), /^Version +: v2\.1\.0$/m)
  })
}

test('is told that a password is wrong', async () => {
  const wrong = ['-u', admin.username, '-p', 'not-this', '-y', '-i', 'wrong']
  assert.match(await cli.refuses('edge', 'login', url, ...wrong), /credential submission failed with status 401/)
})

test('logs in with a token, to read', async () => {
  using client = await ApiClient.login(network.controller)
  await cli.says('edge', 'login', url, '-t', client.token!, '-y', '-i', 'by-token')
  assert.match(await cli.says('edge', 'list', 'identities', '-i', 'by-token'), /results: 1-1 of 1/)
})

test('keeps a read-only login from writing', async () => {
  await cli.says('edge', 'login', url, ...credentials, '--read-only', '-y', '-i', 'reader')
  await cli.refuses('edge', 'create', 'service', 'unwanted', '-i', 'reader')
  assert.deepEqual(await cli.list('services'), [])
})

test('chooses among its logins, and forgets one', async () => {
  await cli.says('edge', 'login', url, ...credentials, '-y', '-i', 'passing')
  await cli.says('edge', 'use', 'passing')
  assert.match(await cli.says('edge', 'use'), /id: +passing \| current: +true/)
  await cli.says('edge', 'logout', '-i', 'passing')
  await cli.says('edge', 'use', 'default')
  assert.match(await cli.refuses('edge', 'list', 'services', '-i', 'passing'), /no identity 'passing' found/)
})

test('shows the version, as text and as JSON', async () => {
  const said = await cli.says('edge', 'version')
  assert.match(said, /^Version +: v2\.1\.0$/m)
  assert.match(said, /^Runtime +: node\d+/m)
  const { data } = (await cli.json('edge', 'version')) as { data: { version: string; apiVersions: object } }
  assert.equal(data.version, 'v2.1.0')
  assert.partialDeepStrictEqual(data.apiVersions, {
    'edge-management': { v1: { path: '/edge/management/v1', apiBaseUrls: [`${url}/edge/management/v1`] } },
    'edge-client': { v1: { path: '/edge/client/v1' } },
  })
})

test('keeps its logins to itself', async () => {
  const { mode } = await stat(network.path('ziti/ziti-cli.json'))
  assert.equal(mode & 0o077, 0)
})
