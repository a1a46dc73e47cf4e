import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { idOf } from '../testing/password-user.ts'
import { TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const CHECKS = '/posture-checks'
let count = 0

async function create(values: object): Promise<string> {
  return idOf(await controller.askAdmin('POST', CHECKS, { name: `check ${++count}`, ...values }))
}

async function get(id: string) {
  return (await controller.askAdmin('GET', `${CHECKS}/${id}`)).json.data
}

/** What is written, the member that is looked at, and what it reads as. */
const forms: [object, string, unknown][] = [
  [{ typeId: 'MAC', macAddresses: ['52:54:00:12:34:5A', 'AA-BB'] }, 'macAddresses', ['52540012345a', 'aabb']],
  [{ typeId: 'MFA' }, 'timeoutSeconds', -1],
  [{ typeId: 'MFA', timeoutSeconds: 0 }, 'timeoutSeconds', -1],
  [{ typeId: 'MFA', timeoutSeconds: 60 }, 'timeoutSeconds', 60],
  [{ typeId: 'MFA', promptOnWake: false }, 'promptOnWake', undefined],
  [
    {
      typeId: 'OS',
      operatingSystems: [
        { type: 'Windows', versions: ['>=10.0.0'] },
        { type: 'Linux', versions: ['1.0.0'] },
        { type: 'Linux', versions: [] },
      ],
    },
    'operatingSystems',
    [
      { type: 'Linux', versions: null },
      { type: 'Windows', versions: ['>=10.0.0'] },
    ],
  ],
  [
    { typeId: 'PROCESS', process: { osType: 'Linux', path: '/X', hashes: ['AB', 'ab'], signerFingerprint: 'CD' } },
    'process',
    { osType: 'Linux', path: '/X', hashes: ['ab'], signerFingerprint: 'cd' },
  ],
  [
    { typeId: 'PROCESS', process: { osType: 'Linux', path: '/x' } },
    'process',
    { osType: 'Linux', path: '/x', hashes: null },
  ],
  [
    {
      typeId: 'PROCESS_MULTI',
      semantic: 'AllOf',
      processes: [
        { osType: 'Windows', path: 'b' },
        { osType: 'Linux', path: 'a', hashes: ['AB'] },
        { osType: 'Windows', path: 'b', signerFingerprints: ['CD'] },
      ],
    },
    'processes',
    [
      { osType: 'Linux', path: 'a', hashes: ['AB'], signerFingerprints: [] },
      { osType: 'Windows', path: 'b', hashes: [], signerFingerprints: ['CD'] },
    ],
  ],
]

describe('values are brought into one form', () => {
  for (const [values, member, expected] of forms) {
    test(JSON.stringify(values), async () => assert.deepEqual((await get(await create(values)))[member], expected))
  }
})

describe('is refused', () => {
  for (const [what, values] of [
    [
      'a version range that is none',
      { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['not-a-range'] }] },
    ],
    ['a MAC address without digits', { typeId: 'MAC', macAddresses: ['zz'] }],
    ['an empty list', { typeId: 'DOMAIN', domains: [] }],
    ['a kind that does not exist', { typeId: 'NOPE' }],
    ['no kind at all', { domains: ['x'] }],
    ['a role attribute that looks like a role', { typeId: 'DOMAIN', domains: ['x'], roleAttributes: ['#x'] }],
  ] as [string, object][]) {
    test(what, async () => {
      assert.equal((await controller.askAdmin('POST', CHECKS, { name: `check ${++count}`, ...values })).status, 400)
    })
  }
})

test('a change that does not speak of the members of a kind leaves them as they are', async () => {
  for (const [values, member, expected] of forms) {
    const { typeId } = values as { typeId: string }
    const id = await create(values)
    assert.equal((await controller.askAdmin('PATCH', `${CHECKS}/${id}`, { typeId, name: `renamed ${id}` })).status, 200)
    const renamed = await get(id)
    assert.deepEqual([renamed.name, renamed[member]], [`renamed ${id}`, expected])
  }
})

test('the kind of a check stays, and a change that says otherwise changes nothing', async () => {
  const id = await create({ typeId: 'DOMAIN', domains: ['corp'] })
  const put = { typeId: 'MAC', name: 'stolen', macAddresses: ['aabbccddeeff'] }
  for (const [method, body] of [
    ['PUT', put],
    ['PATCH', { typeId: 'MFA', name: 'stolen', timeoutSeconds: 5 }],
  ] as const) {
    const { status, json } = await controller.askAdmin(method, `${CHECKS}/${id}`, body)
    assert.deepEqual([status, json.error.cause.field], [400, 'typeId'])
  }
  const { name, typeId, domains } = await get(id)
  assert.deepEqual([name, typeId, domains], [`check ${count}`, 'DOMAIN', ['corp']])
})

test('the kind is asked for before anything else', async () => {
  const { json } = await controller.askAdmin('POST', CHECKS, {})
  assert.deepEqual(json.error.cause, { field: 'typeId', reason: 'typeId in body is required', value: '' })
})
