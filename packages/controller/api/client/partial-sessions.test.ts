import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Method } from '../../operation/operation.ts'
import type { OpenApiDocument } from '../../resource-kit/openapi.ts'
import { operationsOf } from '../../testing/interface-differences.ts'
import { createAuthPolicy } from '../../testing/password-user.ts'
import { createSmallNetwork } from '../../testing/small-network.ts'
import { TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const { identityId, token } = await createSmallNetwork(controller)
const authPolicyId = await createAuthPolicy(controller, { secondary: { requireTotp: true } })
await controller.write((change) => change.update('identities', identityId, { authPolicyId }))
const served = (await controller.askClient({ path: '/swagger.json' })).json as OpenApiDocument

/** What a session may ask for while its second factor is outstanding. */
const allowed: ReadonlySet<string> = new Set([
  'POST /authenticate/mfa',
  'GET /current-api-session',
  'DELETE /current-api-session',
  'GET /current-identity/mfa',
  'POST /current-identity/mfa',
  'POST /current-identity/mfa/verify',
  'GET /current-identity/mfa/qr-code',
  'GET /enumerated-router-capabilities',
])

/** Bodies are judged before permissions: this one is good for every operation that takes an object. */
const body = {
  code: '123456',
  ...{ username: 'somebody', password: 'password', currentPassword: 'password' },
  ...{ clientCertCsr: 'csr', clientCert: 'certificate', csr: 'csr' },
  ...{ id: '0', typeId: 'ENDPOINT_STATE' },
}

describe('a session whose second factor is outstanding', () => {
  test('reaches nothing but what completes it', async () => {
    const refused: string[] = []
    const passed: string[] = []
    for (const operation of operationsOf(served).keys()) {
      const [method, path] = operation.split(' ') as [Method, string]
      if (operation === 'DELETE /current-api-session') continue
      const withBody = method === 'GET' || method === 'DELETE' ? {} : { body: path.endsWith('-bulk') ? [] : body }
      const asked = { method, path: path.replace('{id}', 'unknown'), ...withBody }
      const anonymous = await controller.askClient(asked)
      if (anonymous.status !== 401 || anonymous.json?.error?.code !== 'UNAUTHORIZED') continue
      const { status } = await controller.askClient({ ...asked, token })
      ;(status === 401 ? refused : passed).push(operation)
    }
    assert.deepEqual(
      passed.filter((operation) => !allowed.has(operation)),
      [],
    )
    assert.ok(refused.includes('GET /services') && refused.includes('POST /posture-response-bulk'), refused.join())
    assert.ok(refused.length > 15)
  })
})
