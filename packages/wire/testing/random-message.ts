/** Random messages of a definition, as a decoder would give them. */
import type { Content, MessageDefinition } from '../catalogue/definition.ts'
import { stringList, stringMap, u32BytesMap } from '../catalogue/value-kinds.ts'
import type { AnyMessage, ElementType, FieldType } from '../protobuf/message-type.ts'
import { ProtoReader } from '../protobuf/proto-reader.ts'
import type { Scalar } from '../protobuf/scalars.ts'
import type { SeededRandom } from './seeded-random.ts'

type Values = Record<string, unknown>

const letters = ['a', 'Z', '7', '.', ' ', '\u00e9', '\u4e16', '\u{1f600}']

export function randomMessage(definition: MessageDefinition, random: SeededRandom): Values {
  const values: Values = {}
  for (const [name, header] of Object.entries(definition.headers ?? {})) {
    if (!('key' in header)) values[name] = new Map([[header.first - header.offset, randomBytes(random)]])
    else if (header.isRequired || random.below(2) === 0) values[name] = randomContent(header.content, random)
    else values[name] = undefined
  }
  if (definition.body !== undefined) values['body'] = randomContent(definition.body, random)
  return values
}

/** Bytes that each kind of value can be read from. */
const kinds: Readonly<Record<string, (random: SeededRandom) => Buffer>> = {
  bool: (random) => Buffer.from([random.below(2)]),
  presence: () => Buffer.from([1]),
  byte: (random) => random.bytes(1),
  uint16: (random) => random.bytes(2),
  uint32: (random) => random.bytes(4),
  uint64: (random) => Buffer.concat([random.bytes(6), Buffer.alloc(2)]),
  text: (random) => Buffer.from(randomText(random)),
  bytes: randomBytes,
  'list of text': (random) => stringList.write(randomList(random, randomText)),
  'map of number to bytes': (random) =>
    u32BytesMap.write(new Map(randomList(random, () => [random.below(2 ** 32), randomBytes(random)]))),
  'map of text to text': (random) =>
    stringMap.write(new Map(randomList(random, () => [randomText(random), randomText(random)]))),
  'capability mask': (random) => random.bytes(random.below(9)),
  'list of int32': (random) => random.bytes(4 * random.below(4)),
  control: (random) => Buffer.from(`${String.fromCharCode(random.below(3))}c${randomText(random)}`),
}

function randomContent(content: Content, random: SeededRandom): unknown {
  return 'form' in content ? randomFields(content, random) : content.read(kinds[content.kind]!(random))
}

function randomFields(type: AnyMessage, random: SeededRandom): Values {
  const values: Values = {}
  for (const [name, field] of Object.entries(type.fields)) {
    if (!('form' in field)) {
      values[name] = randomField(field[1], random)
      continue
    }
    const choices = Object.entries(field.choices)
    const choice = choices[random.below(choices.length + 1)]
    values[name] = choice && { kind: choice[0], value: randomElement(choice[1][1], random) }
  }
  return values
}

function randomField(type: FieldType, random: SeededRandom): unknown {
  if (type.form === 'repeated') return randomList(random, () => randomElement(type.element, random))
  if (type.form === 'map') {
    return new Map(randomList(random, () => [randomElement(type.key, random), randomElement(type.value, random)]))
  }
  const isLeftOut = random.below(4) === 0
  if (type.form === 'message') return isLeftOut ? undefined : randomFields(type, random)
  return isLeftOut ? type.zero : randomElement(type, random)
}

function randomElement(type: ElementType, random: SeededRandom): unknown {
  return type.form === 'message' ? randomFields(type, random) : randomScalar(type, random)
}

function randomScalar(type: Scalar<unknown>, random: SeededRandom): unknown {
  const sign = random.below(2) === 0 ? 1 : -1
  const small = 2 ** (1 + random.below(31))
  switch (type.name) {
    case 'bool':
      return random.below(2) === 0
    case 'string':
      return randomText(random)
    case 'bytes':
      return randomBytes(random)
    case 'double':
      return sign * random.next() * small
    case 'int32':
      return sign * random.below(small) + 0
    case 'uint32':
      return random.below(small * 2)
    case 'int64':
      return typeof type.zero === 'bigint' ? BigInt.asIntN(64, randomBits(random)) : sign * random.below(2 ** 53) + 0
    case 'uint64':
      return typeof type.zero === 'bigint' ? randomBits(random) : random.below(2 ** 53)
    case 'Timestamp':
      return BigInt(sign * random.below(2 ** 33)) * 1_000_000_000n + BigInt(random.below(1_000_000_000))
    default: // An enumeration: a name, or a number that has none.
      return type.read(new ProtoReader(Buffer.from([random.below(10)]), 0))
  }
}

function randomBits(random: SeededRandom): bigint {
  return random.bytes(8).readBigUInt64LE() >> BigInt(random.below(64))
}

function randomBytes(random: SeededRandom): Buffer {
  return random.bytes(random.below(20))
}

function randomText(random: SeededRandom): string {
  return randomList(random, () => letters[random.below(letters.length)]).join('')
}

function randomList<T>(random: SeededRandom, make: (random: SeededRandom) => T): T[] {
  return Array.from({ length: random.below(4) }, () => make(random))
}
