import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestController } from '../testing/test-controller.ts'
import { TwoRegistries } from '../testing/two-registries.ts'
import type { Link } from './link.ts'
import { LinkReports } from './link-reports.ts'

const limits = { timeout: 20_000 }
const faults = { mark() {} }
const log = { debug() {}, info() {}, warn() {}, error() {} }
const dialed = (link: Link): Link => Object.assign(link, { facts: { ...link.facts, isDialed: true } })

/** What a controller is told, in short. */
async function told(controller: TestController, count: number): Promise<readonly string[]> {
  return (await controller.takes(count)).map((each) => {
    if (each.name === 'routerLinks') {
      const { links, fullRefresh } = each.message.body
      const all = links.map(({ id, iteration }) => `${id}/${iteration}`).join()
      return `${fullRefresh ? 'all' : 'new'} ${all}`.trim()
    }
    if (each.name === 'fault') return `${each.message.body.subject} ${each.message.body.id}`
    return each.name === 'linkState' ? `state ${each.message.body.linkId}` : each.name
  })
}

test('a controller hears of all links first, of none too, and then of everything in order', limits, async () => {
  await using two = new TwoRegistries()
  await using controller = await TestController.connect()
  const links: Link[] = []
  const reports = new LinkReports({ dialedLinks: () => links, faults, log })
  reports.add(controller.connection)
  assert.deepEqual(await told(controller, 1), ['all'])
  const [one, other, accepted] = [
    dialed(await two.comesTo(two.a, 'one')),
    dialed(await two.comesTo(two.b, 'other')),
    await two.comesTo(two.a, 'two'),
  ]
  reports.established(one)
  reports.established(other)
  reports.established(accepted)
  reports.changed(one, one.connState())
  reports.changed(accepted, accepted.connState())
  reports.duplicate(other)
  reports.failed(accepted)
  reports.unknown('nobody knows')
  assert.deepEqual(await told(controller, 5), [
    'new one/1,other/1',
    'state one',
    'LinkDuplicate other',
    'LinkFault two',
    'LinkFault nobody knows',
  ])
  links.push(one)
  await using again = await TestController.connect()
  reports.add(again.connection)
  assert.deepEqual(await told(again, 1), ['all one/1'])
  reports.remove(controller.connection)
  reports.failed(one)
  assert.deepEqual(await told(again, 1), ['LinkFault one'])
  assert.equal(controller.told.length, 0)
})

test('a controller that is far behind is told everything anew', limits, async () => {
  await using two = new TwoRegistries()
  await using controller = await TestController.connect()
  const link = dialed(await two.comesTo(two.a, 'one'))
  const reports = new LinkReports({ dialedLinks: () => [link], faults, log })
  reports.add(controller.connection)
  assert.deepEqual(await told(controller, 1), ['all one/1'])
  for (let count = 0; count < 1_500; count++) reports.failed(link)
  const [first] = await told(controller, 1)
  assert.equal(first, 'all one/1')
})
