/** `weft router config` and `weft router enroll`: an operator with a new router. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { loadRouterConfig, readEndpointsFile } from '@weft/router'
import { startEnrollmentServer } from '../packages/pki/testing/enrollment-server.ts'
import { runWeft } from './kit/controller-process.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'

const limits = { timeout: 60_000 }

async function weft(...args: string[]) {
  await using child = runWeft(args)
  const { code } = await child.ended
  return { code, stdout: child.stdout, stderr: child.stderr }
}

describe('router config', () => {
  test('writes a file once, and again only when told', limits, async () => {
    await using folder = await temporaryFolder('router-config')
    const file = join(folder.path, 'r1.yml')
    const write = (...more: string[]) => weft('router', 'config', 'r1', '-o', file, '--host', 'r1.example.net', ...more)
    const first = await write('--controller', 'ctrl.example.net:1280', '--wss')
    assert.equal(first.code, 0, first.stderr)
    const { config, warnings } = loadRouterConfig(file, {})
    assert.deepEqual(warnings, [])
    assert.equal(config.identity.key, join(folder.path, 'r1.key'), 'beside the file')
    const [edge, tunnel] = config.listeners
    assert.ok(edge?.binding === 'edge' && tunnel?.binding === 'tunnel')
    assert.deepEqual([edge.address.text, tunnel.options.mode.kind], ['wss:0.0.0.0:3022', 'host'])
    const second = await write('--private')
    assert.deepEqual([second.code, second.stderr], [1, `weft: ${file} is there already; --force writes over it\n`])
    assert.equal((await write('--private', '--force')).code, 0)
    assert.deepEqual(loadRouterConfig(file, {}).config.link.listeners, [])
  })

  test('refuses what makes no sense', limits, async () => {
    const cases = [
      [['a/b'], /the name becomes part of file names/],
      [['r1', '--edge-port', '0'], /wanted 1 to 65535/],
      [['r1', '--controller', 'ctrl'], /wanted host:port, found no port/],
      [['r1', '--tunnel', 'sideways'], /Allowed choices are none, host, tproxy, proxy/],
      [['r1', '--lan-interface', 'eth0', '-o', '-'], /needs --tunnel tproxy/],
    ] as const
    await Promise.all(
      cases.map(async ([args, message]) => {
        const { code, stderr } = await weft('router', 'config', ...args)
        assert.equal(code, 1)
        assert.match(stderr, message)
      }),
    )
  })
})

describe('router enroll', () => {
  test('writes what the file names, and forgets the network before', limits, async () => {
    await using folder = await temporaryFolder('router-enroll')
    await using server = await startEnrollmentServer()
    const file = join(folder.path, 'r1.yml')
    const path = (name: string) => join(folder.path, name)
    const written = await weft(
      'router',
      'config',
      'r1',
      '-o',
      file,
      '--host',
      'r1.example.net',
      '--directory',
      path('pki'),
    )
    assert.equal(written.code, 0, written.stderr)
    await writeFile(path('r1.jwt'), `${server.invitation('erott')}\n`)
    await writeFile(`${file}.proto.gzip`, 'a model')
    const args = ['--jwt', path('r1.jwt'), '--keyAlg', 'EC', '--verbose', '--log-formatter', 'json']
    const { code, stdout, stderr } = await weft('router', 'enroll', file, ...args)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^Enrolled as \S+\. Next: weft router run /)
    const certificate = new X509Certificate(await readFile(path('pki/r1.server.chain.cert')))
    assert.equal(certificate.subject?.split('=').at(-1), /Enrolled as (\S+)\./.exec(stdout)?.[1])
    assert.match(certificate.subjectAltName!, /DNS:r1\.example\.net/)
    await assert.rejects(stat(`${file}.proto.gzip`), { code: 'ENOENT' })
    assert.match(stderr, /removed .*proto\.gzip/)
    if (process.platform !== 'win32') assert.equal((await stat(path('pki/r1.key'))).mode & 0o777, 0o600)
    assert.ok(readEndpointsFile(path('pki/endpoints.yml')).length > 0, 'the token says where controllers are')
    assert.ok(!stdout.includes(server.invitation('erott').slice(0, 20)))
  })

  test('says what is wrong, and leaves everything as it was', limits, async () => {
    await using folder = await temporaryFolder('router-enroll')
    await using server = await startEnrollmentServer()
    const file = join(folder.path, 'r1.yml')
    assert.equal((await weft('router', 'config', 'r1', '-o', file)).code, 0)
    const inline = join(folder.path, 'inline.yml')
    await writeFile(
      inline,
      'v: 3\nidentity: { cert: a, server_cert: b, key: "pem:secret", ca: c }\nctrl: {}\ncsr: {}\n',
    )
    const single = join(folder.path, 'single.yml')
    await writeFile(single, 'v: 3\nidentity: { cert: a, key: k, ca: c }\nctrl: {}\ncsr: {}\n')
    const bare = join(folder.path, 'bare.yml')
    await writeFile(bare, 'v: 3\nidentity: { cert: a, server_cert: b, key: k, ca: c }\nctrl: {}\n')
    const cases = [
      [[bare, '--jwt', server.invitation('erott')], /has neither csr nor edge\.csr, which say what is certified/],
      [[file, '--jwt', join(folder.path, 'none.jwt')], /^weft: there is no file .*none\.jwt \(--jwt\)$/m],
      [[file, '--jwt', file], /the enrollment token could not be read/],
      [
        [file, '--jwt', server.invitation('ott')],
        /it does not enroll a router\na router is enrolled with the token of a router/,
      ],
      [[file, '--jwt', server.invitation('erott'), '--engine', 'pkcs11'], /engine \(--engine\) are not supported/],
      [[file, '--jwt', server.invitation('erott'), '-a', 'DSA'], /wanted EC or RSA/],
      [[inline, '--jwt', server.invitation('erott')], /^weft: identity\.key is not the path of a file/m],
      [
        [single, '--jwt', server.invitation('erott')],
        /identity\.server_cert needs a file of its own, other than that of identity\.cert/,
      ],
      [[join(folder.path, 'none.yml'), '--jwt', 'x'], /there is no such file/],
    ] as const
    await Promise.all(
      cases.map(async ([args, message]) => {
        const { code, stderr } = await weft('router', 'enroll', ...args)
        assert.equal(code, 1, stderr)
        assert.match(stderr, message)
        assert.doesNotMatch(stderr, /secret|\n {4}at /)
      }),
    )
    await assert.rejects(stat(join(folder.path, 'r1.key')), { code: 'ENOENT' })
  })
})
