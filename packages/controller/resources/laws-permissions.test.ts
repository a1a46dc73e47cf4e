/** Every operation of every declared resource needs its permission, and that permission is enough. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Operation } from '../operation/operation.ts'
import { assignableGrants } from '../operation/permissions.ts'
import { sampleValue } from '../testing/sample-value.ts'
import { Specimens } from '../testing/specimens.ts'
import { type Answered, TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const specimens = new Specimens(controller)
const ofReaders = 'admin_readonly'
const tokens = new Map<string, Promise<string>>()

for (const operation of specimens.operations) {
  const { access, method, path } = operation
  describe(`${method} ${path}`, () => {
    test('is for those with a session only', async () => {
      assertDenied(await ask(operation, undefined))
    })

    if (typeof access === 'string') {
      test('is judged by grants', () => assert.fail(`asks for ${access}: say here what that means for a resource`))
      return
    }
    const { entity, action } = access
    const grants = [entity, `${entity}.${action}`]

    test('is not for those without a grant, whatever else they hold', async () => {
      assertDenied(await ask(operation, await tokenOf([])))
      const others = assignableGrants.filter((grant) => !grants.includes(grant) && grant !== ofReaders)
      assertDenied(await ask(operation, await tokenOf(others)))
    })

    test(`is ${action === 'read' ? 'for' : 'not for'} those who may read everything`, async () => {
      const answer = await ask(operation, await tokenOf([ofReaders]))
      if (action === 'read') assertAllowed(answer)
      else assertDenied(answer)
    })

    test('is for administrators', async () => {
      assertAllowed(await ask(operation, controller.admin))
    })

    for (const grant of grants.filter((name) => assignableGrants.includes(name))) {
      test(`is for those who hold ${grant} and nothing else`, async () => {
        assertAllowed(await ask(operation, await tokenOf([grant])))
      })
    }
  })
}

/** A valid request, about something that does not exist where it is about something: nothing changes by being allowed. */
async function ask({ method, path, body }: Operation, token: string | undefined): Promise<Answered> {
  const schema = body?.schema
  const sample = schema === undefined ? 'text' : sampleValue(schema, 'sample', specimens.fresh)
  const asked = { method, path: path.replaceAll(/\{\w+\}/g, 'nothing'), token }
  return await controller.ask(body === undefined ? asked : { ...asked, body: JSON.stringify(sample) })
}

function tokenOf(grants: readonly string[]): Promise<string> {
  const key = grants.join(' ')
  const known = tokens.get(key) ?? controller.login(grants)
  tokens.set(key, known)
  return known
}

function assertDenied({ status, text, json }: Answered): void {
  assert.equal(status, 401, text)
  assert.equal(json.error.code, 'UNAUTHORIZED', text)
}

/** A refusal that gives a reason was made by the operation itself, which means that it was reached. */
function assertAllowed({ status, text, json }: Answered): void {
  assert.ok(status < 500, text)
  assert.ok(status !== 401 || json.error.cause !== undefined, text)
}
