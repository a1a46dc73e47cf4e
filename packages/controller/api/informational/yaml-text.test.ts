import assert from 'node:assert/strict'
import { test } from 'node:test'
import { yamlText } from './yaml-text.ts'

test('JSON becomes YAML in block style', () => {
  const value = {
    swagger: '2.0',
    paths: { '/x/{id}': { get: { tags: ['a: b', 'x'], security: [], parameters: [{ name: 'id', required: true }] } } },
    200: { no: null, text: 'two\nlines "quoted" # not a comment', left: undefined },
    matrix: [[1, 2], [{}]],
  }
  assert.equal(
    yamlText(value),
    `"200":
  "no": null
  text: "two\\nlines \\"quoted\\" # not a comment"
swagger: "2.0"
paths:
  "/x/{id}":
    get:
      tags:
        - "a: b"
        - "x"
      security: []
      parameters:
        - name: "id"
          required: true
matrix:
  - - 1
    - 2
  - - {}
`,
  )
})

test('a scalar and what is empty are documents too', () => {
  for (const [value, text] of [
    ['x', '"x"\n'],
    [null, 'null\n'],
    [{}, '{}\n'],
    [[], '[]\n'],
  ]) {
    assert.equal(yamlText(value), text)
  }
})
