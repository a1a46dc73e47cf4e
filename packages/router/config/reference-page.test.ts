import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadRouterConfig } from './load-router-config.ts'
import { routerConfigPage } from './reference-page.ts'
import { routerSchema } from './router-schema.ts'

test('the page describes every section and every key', () => {
  const page = routerConfigPage()
  for (const key of Object.keys(routerSchema.keys)) assert.ok(page.includes(`| \`${key}\` |`), key)
  for (const section of ['ctrl.heartbeats', 'link.dialers[].healthyDialBackoff', 'listeners[], binding: tunnel']) {
    assert.ok(page.includes(`## \`${section}\``), section)
  }
  assert.ok(page.includes('| `dbSaveIntervalSeconds` | a whole number (seconds) | `30` |'))
})

test('the example on the page is a right file', () => {
  const example = /```yaml\n(.*?)```/s.exec(routerConfigPage())![1]!
  assert.deepEqual(loadRouterConfig({ fileName: 'example.yml', text: example }, {}).warnings, [])
})
