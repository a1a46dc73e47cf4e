/**
 * Two thousand log in at the same moment, by certificate, by password and through OIDC: each is let in or told to come back,
 * others are served meanwhile, and the controller takes no more memory than their connections need.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiClient } from './kit/api-client.ts'
import { ControllerProcess } from './kit/controller-process.ts'
import { enrolledCertificate, enrolledPassword } from './kit/enrolled.ts'
import { initialised } from './kit/initialised.ts'
import { logInAtOnce } from './kit/login-crowd.ts'
import { slack } from './kit/patience.ts'
import { MEBIBYTE, residentBytes } from './kit/process-memory.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'

const CROWD = 2_000

/** The crowd shares this machine, and one thread: it may need longer for a handshake than real clients may. */
const patient = { webOptions: '{ idleTimeout: 90s, readTimeout: 90s }', sections: 'tls:\n  handshakeTimeout: 90s' }

/** A quarter of a mebibyte for each: its TLS connection, and what its handshake and request leave to be collected. */
const GROWTH = (CROWD / 4) * MEBIBYTE

test(`${CROWD} log in at once`, { timeout: 110_000 }, async (t) => {
  const folder = await temporaryFolder('storm')
  const configuration = await initialised(folder.path, patient)
  await using controller = await ControllerProcess.run(configuration, { folder })
  using admin = await ApiClient.login(controller)
  const names = Array.from({ length: 8 }, (_, at) => `crowd ${at}`)
  const certificates = await Promise.all(names.map((name) => enrolledCertificate(controller, admin, name)))
  const credentials = { username: 'crowd-member', password: 'one-of-the-crowd' }
  await enrolledPassword(admin, credentials.username, credentials.password)

  const before = await residentBytes(controller.pid)
  let most = before
  const waits: number[] = []
  let isOver = false
  const watch = async () => {
    while (!isOver) {
      const begun = performance.now()
      assert.equal((await admin.get('/identities?limit=5')).status, 200)
      waits.push(performance.now() - begun)
      most = Math.max(most, await residentBytes(controller.pid))
      await sleep(20)
    }
  }
  const storm = logInAtOnce({ server: controller, size: CROWD, certificates, credentials }).finally(() => {
    isOver = true
  })
  const [outcomes] = await Promise.all([storm, watch()])

  const counts = new Map<string, number>()
  for (const { way, status, retryAfter, text } of outcomes) {
    assert.ok(status === 200 || status === 429, `${way}: ${status} ${text}`)
    if (status === 429) assert.match(String(retryAfter), /^\d+$/)
    counts.set(`${way} ${status}`, (counts.get(`${way} ${status}`) ?? 0) + 1)
  }
  t.diagnostic([...counts].map(([key, count]) => `${count} x ${key}`).join(', '))
  const slowest = Math.max(...waits)
  t.diagnostic(`${waits.length} reads meanwhile, the slowest in ${slowest.toFixed(0)} ms`)
  t.diagnostic(`resident ${(before / MEBIBYTE).toFixed(0)} MiB, at most ${(most / MEBIBYTE).toFixed(0)} MiB`)
  for (const way of ['certificate', 'password', 'OIDC']) assert.ok(counts.get(`${way} 200`), `nobody got in by ${way}`)
  assert.ok(waits.length >= 3, 'hardly anything was answered meanwhile')
  assert.ok(slowest < 5_000 * slack, `a management call took ${slowest} ms`)
  assert.ok(most - before < GROWTH, `memory has grown from ${before} to ${most}`)
})
