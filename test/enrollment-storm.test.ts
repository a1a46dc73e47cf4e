/** Many enroll at the same moment: each gets its certificate or is told to come back, and others are served meanwhile. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { generatePrivateKey, parseLeafCertificate, signCertificateRequest } from '@weft/pki'
import { ApiClient } from './kit/api-client.ts'
import { ControllerProcess } from './kit/controller-process.ts'

const CROWD = 250
const clientApi = '/edge/client/v1'

test(`${CROWD} identities enroll at once`, async () => {
  await using controller = await ControllerProcess.start()
  using api = await ApiClient.login(controller)
  const names = Array.from({ length: CROWD }, (_, number) => `one of many ${number}`)
  const ids = await Promise.all(
    names.map((name) => api.create('identities', { name, type: 'Default', isAdmin: false, enrollment: { ott: true } })),
  )
  const { body } = await api.get('/enrollments?limit=500')
  const tokens = new Map((body!.data as { identityId: string; token: string }[]).map((it) => [it.identityId, it.token]))
  const key = await generatePrivateKey('P-256')

  using crowd = new ApiClient(controller, { base: clientApi, connections: CROWD })
  const enroll = async (id: string) => {
    const csr = signCertificateRequest({ subject: { commonName: id }, key })
    const type = { 'content-type': 'application/x-pem-file' }
    return { id, reply: await crowd.request('POST', `/enroll?method=ott&token=${tokens.get(id)}`, csr, type) }
  }
  let slowest = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const begun = performance.now()
      assert.equal((await api.get('/identities?limit=1')).status, 200)
      slowest = Math.max(slowest, performance.now() - begun)
    }
  })()
  const answers = await Promise.all(ids.map(enroll))
  isOver = true
  await watching
  for (const { id, reply } of answers) {
    assert.ok(reply.status === 200 || reply.status === 429, reply.text)
    if (reply.status === 429) assert.ok(reply.headers['retry-after'])
    else {
      const { cert } = reply.body!.data as { cert: string }
      assert.deepEqual(parseLeafCertificate(cert).names.uri, [`spiffe://weft/identity/${id}`])
    }
  }
  assert.ok(slowest < 5_000, `the slowest management call took ${Math.round(slowest)} ms`)
})
