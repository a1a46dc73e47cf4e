import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listOf, mapOf } from './collection-kinds.ts'
import { describeSchema } from './describe-schema.ts'
import { minute } from './duration.ts'
import { duration, exactly, integer, oneOf, protocolAddress, text } from './scalar-kinds.ts'
import { optional, required, section, subsection, withDefault } from './section.ts'
import { sectionByKey } from './section-by-key.ts'
import { variants } from './variants.ts'

test('writes a table for each section, and each section once', () => {
  const limits = section({
    keys: { wait: withDefault(duration({ min: minute, belowMin: 'default' }), 5 * minute, 'How long.') },
    ignored: { speed: 'it is always fast' },
  })
  const schema = section({
    keys: {
      v: required(exactly(3), 'The version.'),
      mode: optional(oneOf(['a|b', 'c']), 'How.'),
      limits: subsection(limits, 'Limits.'),
      listener: optional(protocolAddress(['tls', 'wss']), 'Where.'),
      more: optional(mapOf(limits), 'More.'),
      apis: withDefault(
        listOf(
          variants('binding', {
            plain: section({ keys: {} }),
            rich: section({ keys: { n: optional(integer(), 'N.') } }),
          }),
        ),
        [],
        'APIs.',
      ),
      point: optional(
        sectionByKey('in', {
          present: section({ keys: { in: required(text(), 'Inside.', { name: 'in' }) } }),
          absent: section({ keys: { outSide: required(text(), 'Outside.', { name: 'out_side' }) } }),
        }),
        'A point.',
      ),
    },
  })
  const page = describeSchema(schema, { title: 'The file', introduction: '\nHello.\n' })
  assert.equal(
    page,
    `# The file

Hello.

## Top level

| key | value | default | meaning |
|---|---|---|---|
| \`v\` | 3 | required | The version. |
| \`mode\` | one of a\\|b, c | none | How. |
| \`limits\` | section | see below | Limits. |
| \`listener\` | protocol:host:port | none | Where. Protocols: tls, wss. |
| \`more\` | sections by name: section | none | More. |
| \`apis\` | list: section | \`[]\` | APIs. |
| \`point\` | section | none | A point. |

## \`limits\`

| key | value | default | meaning |
|---|---|---|---|
| \`wait\` | a duration such as 30s or 1h30m | \`5m\` | How long. Below 1m, the default is used. |

Accepted without effect, with a warning:

- \`speed\`: it is always fast

## \`more.<name>\`

The same keys as \`limits\`.

## \`apis[]\`

\`binding\` (required) decides which other keys there are: one of plain, rich.

## \`apis[], binding: plain\`

No further keys.

## \`apis[], binding: rich\`

| key | value | default | meaning |
|---|---|---|---|
| \`n\` | a whole number | none | N. |

## \`point\`

Whether there is a key \`in\` decides which other keys there are.

## \`point, without in\`

| key | value | default | meaning |
|---|---|---|---|
| \`out_side\` | text | required | Outside. |

## \`point, with in\`

| key | value | default | meaning |
|---|---|---|---|
| \`in\` | text | required | Inside. |
`,
  )
})
