import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Identity } from '@weft/pki'
import type { WebServerConfig } from '../web-servers.ts'
import { withOidc } from './auto-binding.ts'
import { currentIssuerHosts, issuerHosts } from './issuers.ts'

type Servers = Identity['servers']

function certificateFor(dns: readonly string[], ip: readonly string[] = []): Servers {
  const coversHost = (host: string) => dns.some((name) => name === `*${host.slice(host.indexOf('.'))}`)
  return [{ certificate: { names: { dns, ip }, coversHost } }] as unknown as Servers
}

describe('issuers', () => {
  test('are the addresses and the names of the certificates, at the ports of the listeners', () => {
    const bindPoints = [{ interface: '0.0.0.0:1280', address: 'ctrl.example:443' }]
    const hosts = issuerHosts({ bindPoints, servers: certificateFor(['Localhost'], ['::1']), allowedHostnames: [] })
    for (const host of ['ctrl.example:443', 'ctrl.example', 'ctrl.example:1280', 'localhost:1280', '[::1]:1280']) {
      assert.ok(hosts.has(host), host)
    }
    assert.ok(!hosts.has('localhost:80'))
  })

  test('below a wildcard are those that the configuration lists', () => {
    const bindPoints = [{ interface: '0.0.0.0:1280', address: 'ctrl.example:1280' }]
    const allowedHostnames = ['a.net.example', 'a.other.example']
    const hosts = issuerHosts({ bindPoints, servers: certificateFor(['*.net.example']), allowedHostnames })
    assert.ok(hosts.has('a.net.example:1280'))
    for (const host of ['b.net.example:1280', 'a.other.example:1280', '*.net.example:1280']) assert.ok(!hosts.has(host))
  })

  test('are those of the certificates that are served now', () => {
    const bindPoints = [{ interface: '0.0.0.0:1280', address: 'ctrl.example:1280' }]
    let servers = certificateFor(['before.example'])
    const hosts = currentIssuerHosts({ bindPoints, allowedHostnames: [] }, () => servers)
    assert.ok(hosts().has('before.example:1280'))
    assert.equal(hosts(), hosts(), 'worked out once')
    servers = certificateFor(['after.example'])
    assert.deepEqual([...hosts()].sort(), ['after.example:1280', 'ctrl.example:1280'])
  })
})

describe('the provider is served by itself', () => {
  const server = (name: string, address: string, ...bindings: readonly string[]) =>
    ({
      name,
      bindPoints: [{ interface: address, address }],
      apis: bindings.map((binding) => ({ binding })),
    }) as unknown as WebServerConfig
  const served = (web: readonly WebServerConfig[]) =>
    withOidc(web, 'a:1')
      .filter(({ apis }) => apis.some(({ binding }) => binding === 'edge-oidc'))
      .map(({ name }) => name)

  test('where clients are told to go, else wherever the client API is, and not where it is listed already', () => {
    const [one, two] = [server('one', 'a:1', 'edge-client'), server('two', 'b:2', 'edge-client')]
    const other = server('other', 'c:3', 'edge-management')
    assert.deepEqual(served([one, two, other]), ['one'])
    assert.deepEqual(served([two, other]), ['two'])
    assert.deepEqual(served([server('three', 'b:3', 'edge-client'), two]), ['three', 'two'])
    assert.deepEqual(served([one, server('listed', 'c:3', 'edge-oidc')]), ['listed'])
  })
})
