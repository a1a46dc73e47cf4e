import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../operation/api-error.ts'
import {
  anythingShape,
  flagShape,
  integerShape,
  jsonShape,
  listShape,
  mapShape,
  memberOf,
  objectShape,
  optional,
  required,
  type Shape,
  secretShape,
  textShape,
  timeShape,
  WrongTypeError,
} from './shapes.ts'

const everyType: Readonly<Record<string, unknown>> = {
  text: 'text',
  number: 7,
  fraction: 1.5,
  huge: 1e300,
  flag: true,
  list: [],
  object: {},
}

const person = objectShape({
  name: required(textShape({ max: 5 })),
  age: optional(integerShape({ min: 0 }), 18),
  home: optional(objectShape({ street: required(textShape()), zip: optional(textShape()) })),
})

describe('reading accepts one JSON type and names the place of any other', () => {
  const cases: readonly [shape: string, shape: Shape<unknown>, accepted: readonly string[]][] = [
    ['text', textShape() as Shape<unknown>, ['text']],
    ['secret', secretShape({ min: 1, max: 9 }) as Shape<unknown>, ['text']],
    ['integer', integerShape() as Shape<unknown>, ['number']],
    ['flag', flagShape as Shape<unknown>, ['flag']],
    ['time', timeShape as Shape<unknown>, []],
    ['list', listShape(textShape()) as Shape<unknown>, ['list']],
    ['map', mapShape(textShape()) as Shape<unknown>, ['object']],
    ['object', person as Shape<unknown>, ['object']],
    ['json', jsonShape as Shape<unknown>, ['object']],
    ['anything', anythingShape, Object.keys(everyType)],
  ]
  for (const [name, shape, accepted] of cases) {
    for (const [type, value] of Object.entries(everyType)) {
      const isAccepted = accepted.includes(type)
      test(`${name} ${isAccepted ? 'takes' : 'refuses'} ${type}`, () => {
        if (isAccepted) assert.deepEqual(shape.read(value, 'at'), value)
        else assert.throws(() => shape.read(value, 'at'), wrongTypeAt('at'))
      })
    }
  }

  const nested: readonly [value: unknown, place: string][] = [
    [{ name: 7 }, 'at.name'],
    [{ name: 'x', home: 'text' }, 'at.home'],
    [{ name: 'x', home: { street: true } }, 'at.home.street'],
  ]
  for (const [value, place] of nested) {
    test(`objects name ${place}`, () => assert.throws(() => person.read(value, 'at'), wrongTypeAt(place)))
  }

  test('lists name the element, and hold no null', () => {
    const list = listShape(listShape(textShape()))
    assert.throws(() => list.read([['a'], ['b', 7]], 'at'), wrongTypeAt('at.1.1'))
    assert.throws(() => list.read([null], 'at'), wrongTypeAt('at.0'))
  })

  test('maps name the key, and leave out what is null', () => {
    const map = mapShape(integerShape())
    assert.throws(() => map.read({ a: 1, b: 'x' }, 'at'), wrongTypeAt('at.b'))
    assert.deepEqual(map.read({ a: 1, b: null }, 'at'), { a: 1 })
  })
})

describe('checking looks at values', () => {
  const cases: readonly [what: string, check: () => void, reason: RegExp | undefined][] = [
    ['a text at its longest', checking(textShape({ max: 3 }), 'abc'), undefined],
    ['a text too long', checking(textShape({ max: 3 }), 'abcd'), /at most 3 chars/],
    ['characters, not code units', checking(textShape({ max: 3 }), '🙂🙂🙂'), undefined],
    ['a text too short', checking(textShape({ min: 3 }), 'ab'), /at least 3 chars/],
    ['a text without a bound of its own', checking(textShape(), 'x'.repeat(65_537)), /at most 65536 chars/],
    ['one of a choice', checking(textShape({ oneOf: ['a', 'b'] }), 'b'), undefined],
    ['none of a choice', checking(textShape({ oneOf: ['a', 'b'] }), 'c' as 'a'), /should be one of \[a b\]/],
    ['a uuid', checking(textShape({ format: 'uuid' }), '3f2504e0-4f89-41d3-9a0c-0305e82c3301'), undefined],
    ['no uuid', checking(textShape({ format: 'uuid' }), '3f2504e0'), /must be of type uuid/],
    ['no uri', checking(textShape({ format: 'uri' }), 'not one'), /must be of type uri/],
    ['the least', checking(integerShape({ min: 0, max: 9 }), 0), undefined],
    ['too little', checking(integerShape({ min: 0, max: 9 }), -1), /greater than or equal to 0/],
    ['too much', checking(integerShape({ min: 0, max: 9 }), 10), /less than or equal to 9/],
    ['too few', checking(listShape(textShape(), { min: 1 }), []), /at least 1 items/],
    ['an element', checking(listShape(textShape({ max: 1 })), ['a', 'bb']), /at\.1 in body should be at most 1/],
    ['a value of a map', checking(mapShape(integerShape({ max: 1 })), { b: 5, a: 1 }), /at\.b in body/],
    ['a member', checking(person, person.read({ name: 'too long' }, 'at')), /at\.name in body should be at most 5/],
    ['a member that is missing', checking(person, person.read({}, 'at')), /at\.name in body is required/],
  ]
  for (const [what, check, reason] of cases) {
    test(`${what} is ${reason === undefined ? 'taken' : 'refused'}`, () => {
      if (reason === undefined) check()
      else assert.throws(check, (error) => error instanceof ApiError && reason.test(JSON.stringify(error.detail)))
    })
  }

  test('a list too long is refused before its elements are looked at', () => {
    const list = listShape({ ...textShape(), read: () => assert.fail('an element was read') }, { max: 3 })
    assert.throws(() => list.read(['a', 'b', 'c', 'd'], 'at'), { code: 'COULD_NOT_VALIDATE' })
  })

  test('a secret never appears in its refusal', () => {
    for (const secret of ['abc', 'x'.repeat(40)]) {
      assert.throws(
        () => secretShape({ min: 5, max: 20 }).check(secret, 'password', false),
        (error) => error instanceof ApiError && !JSON.stringify(error.detail).includes(secret),
      )
    }
  })

  test('long values are cut in refusals', () => {
    assert.throws(
      () => textShape({ max: 10 }).check('y'.repeat(5_000), 'at', false),
      (error) => error instanceof ApiError && JSON.stringify(error.detail).length < 300,
    )
  })
})

describe('objects', () => {
  test('give what is left out its default when they are whole, and not when they are a part', () => {
    const whole = person.read({ name: 'Ann' }, '')
    person.check(whole, '', false)
    assert.deepEqual(whole, { name: 'Ann', age: 18, home: undefined })
    const part = person.read({ age: 5 }, '')
    person.check(part, '', true)
    assert.deepEqual(part, { age: 5 })
  })

  test('lay a part over what was, member by member at any depth', () => {
    const before = { name: 'Ann', age: 18, home: { street: 'Main', zip: '1' } }
    const part = person.read({ age: 5, home: { zip: '2' } }, '')
    assert.deepEqual(person.merge!(before, part), { name: 'Ann', age: 5, home: { street: 'Main', zip: '2' } })
    assert.deepEqual(before.home.zip, '1')
  })

  test('ignore members they do not know, and take other spellings of those they do', () => {
    assert.deepEqual(person.read({ NAME: 'Ann', extra: 1, __proto__x: 2 }, ''), { name: 'Ann' })
    assert.equal(memberOf({ name: 'exact', NAME: 'other' }, 'name'), 'exact')
    assert.equal(memberOf(JSON.parse('{"__proto__": {"name": "x"}}'), 'name'), undefined)
  })
})

describe('times', () => {
  const cases: readonly [given: string, held: string | undefined][] = [
    ['2030-01-02T03:04:05Z', '2030-01-02T03:04:05.000Z'],
    ['2030-01-02t03:04:05.123456z', '2030-01-02T03:04:05.123Z'],
    ['2030-01-02T03:04:05+01:30', '2030-01-02T01:34:05.000Z'],
    ['2030-01-02', '2030-01-02T00:00:00.000Z'],
    ['2030-13-02', undefined],
    ['2030-01-02T03:04:05', undefined],
    ['2030-01-02 03:04:05Z', undefined],
    ['yesterday', undefined],
    ['', undefined],
  ]
  for (const [given, held] of cases) {
    test(`${JSON.stringify(given)} is ${held ?? 'refused'}`, () => {
      if (held === undefined) assert.throws(() => timeShape.read(given, 'at'), wrongTypeAt('at'))
      else assert.equal(timeShape.read(given, 'at'), held)
    })
  }
})

function checking<T>(shape: Shape<T>, value: T): () => void {
  return () => shape.check(value, 'at', false)
}

function wrongTypeAt(place: string) {
  return (error: unknown) => error instanceof WrongTypeError && error.message.startsWith(`${place} must be `)
}
