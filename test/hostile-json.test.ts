/** Hostile bodies, paths and queries against the real API: each is refused precisely, and nothing of it sticks. */
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { assertRefused, type Json } from './kit/api-client.ts'
import { slack } from './kit/patience.ts'
import { sharedStart } from './kit/running.ts'

const limits = { timeout: 60_000 }
const running = sharedStart()

afterEach(async () => {
  const { admin, controller } = running()
  const started = performance.now()
  assert.equal((await admin.get('/identities?limit=1')).status, 200)
  assert.ok(performance.now() - started < 250 * slack, 'the controller has become slow')
  assert.equal(controller.child.stderr, '', 'hostile input is not worth a line at the default level')
})

const bytes = (...values: number[]) => Buffer.from(values)
const around = (middle: Buffer) => Buffer.concat([Buffer.from('{"name":"x'), middle, Buffer.from('"}')])

describe('a body that is not JSON', () => {
  const bodies: [what: string, body: string | Buffer][] = [
    ['cut short', '{"name":"x"'],
    ['with a missing value', '{"name":}'],
    ['with a comma too many', '{"name":"x",}'],
    ['with single quotes', "{'name':'x'}"],
    ['a bare word', 'name'],
    ['NaN', '{"maxIdleTimeMillis":NaN}'],
    ['with a bare NUL', around(bytes(0))],
    ['with a bare line feed in a text', '{"name":"x\ny"}'],
    ['with a wrong escape', '{"name":"\\x41"}'],
    ['with a byte that is not UTF-8', around(bytes(0xff))],
    ['with an overlong slash', around(bytes(0xc0, 0xaf))],
    ['with half a surrogate pair in UTF-8', around(bytes(0xed, 0xa0, 0x80))],
    ['in UTF-16', Buffer.from('{"name":"x"}', 'utf16le')],
    ['with a byte order mark', '\uFEFF{"name":"x"}'],
    ['nested 101 levels deep', `${'{"tags":'.repeat(101)}1${'}'.repeat(101)}`],
    ['of half a million brackets', '['.repeat(500_000)],
    ['a list', '[{"name":"x"}]'],
    ['a number', '17'],
    ['a text', '"name"'],
  ]
  for (const [what, body] of bodies) {
    test(`is refused when it is ${what}`, limits, async () => {
      const { admin, anonymous } = running()
      for (const reply of [
        await admin.post('/services', body),
        await anonymous.post('/authenticate?method=password', body),
      ]) {
        const { cause } = assertRefused(reply, 400, 'COULD_NOT_PARSE_BODY')
        assert.match(cause?.message ?? '', /^parsing \w+ body from "" failed, because /)
        assert.ok(reply.text.length < 1_000)
      }
    })
  }
})

describe('a number that is out of bounds', () => {
  const numbers = ['1e999', '-1e999', '1'.repeat(1_000), '1e400000', '9223372036854775808', '-9223372036854775809']
  for (const number of numbers) {
    test(`is refused where a whole number is wanted: ${number.slice(0, 24)}`, limits, async () => {
      const body = `{"name":"n","encryptionRequired":true,"maxIdleTimeMillis":${number}}`
      const reply = await running().admin.post('/services', body)
      assert.equal(reply.status, 400, reply.text)
    })
  }

  for (const number of ['1e999', '-1e999', '1e400000']) {
    test(`is refused where anything goes, for no store could keep it: ${number}`, limits, async () => {
      const { admin } = running()
      const bodies: [path: string, body: string][] = [
        ['/services', `{"name":"big","encryptionRequired":true,"tags":{"n":${number}}}`],
        ['/identities', `{"name":"big","type":"User","isAdmin":false,"appData":{"n":[${number}]}}`],
        ['/configs', `{"name":"big","configTypeId":"NH5p4FpGR","data":{"hostname":"h","port":${number}}}`],
      ]
      for (const [path, body] of bodies) assertRefused(await admin.post(path, body), 400, 'COULD_NOT_PARSE_BODY')
    })
  }

  for (const [field, value] of [
    ['maxIdleTimeMillis', 1.5],
    ['maxIdleTimeMillis', '1'],
    ['maxIdleTimeMillis', true],
    ['maxIdleTimeMillis', {}],
  ] as const) {
    test(`${field} ${JSON.stringify(value)} is refused`, limits, async () => {
      const reply = await running().admin.post('/services', { name: 'n', encryptionRequired: true, [field]: value })
      assert.equal(reply.status, 400, reply.text)
    })
  }
})

describe('names that mean something to the program', () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']

  test('do not reach the prototype of anything', limits, async () => {
    const { admin } = running()
    const pollution = '"isAdmin":true,"isDefaultAdmin":true,"permissions":["identity"],"polluted":"yes"'
    const body = `{"__proto__":{${pollution}},"constructor":{"prototype":{${pollution}}},
      "\\u005f_proto__":{${pollution}},"name":"p","type":"User","isAdmin":false,
      "tags":{"__proto__":{${pollution}}},"appData":{"__proto__":{${pollution}},"constructor":{"prototype":{${pollution}}}}}`
    const reply = await admin.post('/identities', body)
    assert.equal(reply.status, 201, reply.text)
    const identity = await admin.detail(`/identities/${(reply.body!.data as Json)['id']}`)
    assert.partialDeepStrictEqual(identity, { isAdmin: false, isDefaultAdmin: false, tags: {} })
    assert.equal(identity['permissions'] ?? null, null)
    assert.ok(!('polluted' in identity))
    const other = await admin.create('identities', { name: 'after p', type: 'User', isAdmin: false })
    assert.partialDeepStrictEqual(await admin.detail(`/identities/${other}`), { isAdmin: false, tags: {} })
  })

  test('are kept as tags and attributes like any other', limits, async () => {
    const { admin } = running()
    const own = names.filter((name) => name !== '__proto__')
    const tags = Object.fromEntries(own.map((name) => [name, `tag ${name}`]))
    const id = await admin.create('services', { name: 'named', encryptionRequired: true, tags, roleAttributes: names })
    const service = await admin.detail(`/services/${id}`)
    assert.deepEqual(service['tags'], tags)
    assert.deepEqual(service['roleAttributes'], names.toSorted())
    for (const name of own.filter((word) => /^[A-Za-z]+$/.test(word))) {
      const found = await admin.list('/services', `tags.${name} = "tag ${name}"`)
      assert.deepEqual(
        found.map((row) => row['id']),
        [id],
        name,
      )
    }
    for (const name of names) {
      const found = await admin.list('/services', `anyOf(roleAttributes) = "${name}"`)
      assert.deepEqual(
        found.map((row) => row['id']),
        [id],
        name,
      )
    }
  })

  test('select by role only what carries them', limits, async () => {
    const { admin } = running()
    const person = { type: 'User', isAdmin: false }
    const chosen = await admin.create('identities', { ...person, name: 'chosen', roleAttributes: ['constructor'] })
    await admin.create('identities', { ...person, name: 'not chosen' })
    for (const name of names) {
      const policy = await admin.create('service-policies', {
        ...{ name: `by ${name}`, type: 'Dial', semantic: 'AnyOf' },
        ...{ identityRoles: [`#${name}`], serviceRoles: ['#none'] },
      })
      const identities = await admin.list(`/service-policies/${policy}/identities`)
      assert.deepEqual(
        identities.map(({ id }) => id),
        name === 'constructor' ? [chosen] : [],
        name,
      )
    }
  })

  test('are ids of nothing, and no collection', limits, async () => {
    const { admin } = running()
    for (const name of names) {
      for (const path of [`/identities/${name}`, `/services/${name}`, `/${name}`, `/config-types/${name}`]) {
        assertRefused(await admin.get(path), 404, 'NOT_FOUND')
      }
      const reply = await admin.post('/service-policies', {
        ...{ name: `of ${name}`, type: 'Dial', semantic: 'AnyOf', identityRoles: [`@${name}`] },
      })
      assertRefused(reply, 400, 'COULD_NOT_VALIDATE')
      const filter = encodeURIComponent(`${name} = "x"`)
      assertRefused(await admin.get(`/services?filter=${filter}`), 400, 'INVALID_FILTER')
      assert.equal((await admin.get(`/services?sort=${name}`)).status, 400)
      const policy = await admin.post('/identities', { name, type: 'User', isAdmin: false, authPolicyId: name })
      assertRefused(policy, 404, 'NOT_FOUND')
    }
  })
})

describe('text that is hard to keep', () => {
  const texts: [what: string, written: string, kept: string][] = [
    ['a NUL', 'a\\u0000b', 'a\u0000b'],
    ['half a surrogate pair', 'a\\ud800b', 'a\ufffdb'],
    ['the other half', 'a\\udfffb', 'a\ufffdb'],
    ['a whole pair, escaped', '\\ud83d\\ude00', '😀'],
    ['line separators and markup', '\\u2028<script>&\\u2029', '\u2028<script>&\u2029'],
    ['text that looks like SQL', "'); DROP TABLE rows; --", "'); DROP TABLE rows; --"],
    ['four thousand characters', 'x'.repeat(4_000), 'x'.repeat(4_000)],
  ]
  for (const [what, written, kept] of texts) {
    test(`comes back as it was: ${what}`, limits, async () => {
      const { admin } = running()
      const reply = await admin.post(
        '/services',
        `{"name":"${written}","encryptionRequired":true,"tags":{"t":"${written}"}}`,
      )
      assert.equal(reply.status, 201, reply.text)
      const id = String((reply.body!.data as Json)['id'])
      const service = await admin.detail(`/services/${id}`)
      assert.equal(service['name'], kept)
      assert.deepEqual(service['tags'], { t: kept })
      assert.equal((await admin.delete(`/services/${id}`)).status, 200)
    })
  }

  test('is refused when a name is longer than names are', limits, async () => {
    const body = { name: 'x'.repeat(900_000), encryptionRequired: true }
    const reply = await running().admin.post('/services', body)
    assertRefused(reply, 400, 'COULD_NOT_VALIDATE')
    assert.ok(reply.text.length < 1_000, 'the refusal repeats it')
  })
})

describe('a path or a query', () => {
  const paths: [path: string, status: number, code: string][] = [
    ['/identities/%00', 404, 'NOT_FOUND'],
    ['/identities/%ff', 400, 'COULD_NOT_VALIDATE'],
    ['/identities/%zz', 400, 'COULD_NOT_VALIDATE'],
    ['/identities/..%2f..%2fetc%2fpasswd', 404, 'NOT_FOUND'],
    [`/identities/${'x'.repeat(8_000)}`, 404, 'NOT_FOUND'],
    [`/${'a/'.repeat(4_000)}`, 404, 'NOT_FOUND'],
    ['/identities?limit=many', 400, 'COULD_NOT_VALIDATE'],
    ['/identities?limit=1e99', 400, 'COULD_NOT_VALIDATE'],
    ['/identities?offset=0x10', 400, 'COULD_NOT_VALIDATE'],
    ['/identities?filter=%00', 400, 'INVALID_FILTER'],
    ['/identities?filter=name%20%3D%20%22%ff%22', 200, ''],
    [`/identities?filter=${'('.repeat(5_000)}`, 400, 'INVALID_FILTER'],
    [`/identities?filter=${'not%20'.repeat(1_500)}true`, 400, 'INVALID_FILTER'],
    [`/identities?sort=${'name,'.repeat(1_500)}`, 400, 'INVALID_SORT_IDENTIFIER'],
    ['/identities?roleFilter=nonsense', 400, 'COULD_NOT_VALIDATE'],
    ['/identities?roleFilter=%23a&roleSemantic=SomeOf', 400, 'COULD_NOT_VALIDATE'],
    ['/service-role-attributes?filter=nonsense', 400, 'INVALID_FILTER'],
  ]
  for (const [path, status, code] of paths) {
    test(`${path.slice(0, 60)} gives ${status}`, limits, async () => {
      const reply = await running().admin.get(path)
      assert.equal(reply.status, status, reply.text.slice(0, 500))
      if (code !== '') assert.equal(reply.body?.error?.code, code)
      assert.ok(reply.text.length < 20_000)
    })
  }
})
