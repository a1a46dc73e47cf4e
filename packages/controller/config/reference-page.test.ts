import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controllerSchema } from './controller-schema.ts'
import { loadControllerConfig } from './load-controller-config.ts'
import { controllerConfigPage } from './reference-page.ts'

test('the page describes every section and every key', () => {
  const page = controllerConfigPage()
  for (const [property, key] of Object.entries(controllerSchema.keys)) {
    assert.ok(page.includes(`| \`${'name' in key ? key.name : property}\` |`), property)
  }
  for (const section of ['edge.api', 'web[].bindPoints[], without identity', 'events.<name>.handler', 'weft.journal']) {
    assert.ok(page.includes(`## \`${section}\``), section)
  }
  assert.ok(page.includes('| `sessionTimeout` | a duration such as 30s or 1h30m | `30m` |'))
})

test('the example on the page is a right file', () => {
  const example = /```yaml\n(.*?)```/s.exec(controllerConfigPage())![1]!
  assert.deepEqual(loadControllerConfig({ fileName: 'example.yml', text: example }, {}).warnings, [])
})
