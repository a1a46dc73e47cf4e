/** What a plan says about the connections a channel has at the moment. */
import type { ChannelPlan } from './channel-plan.ts'

/** The queues that a connection of this type empties, the most urgent first, while these types are present. */
export function queuesFor(plan: ChannelPlan, type: string, present: ReadonlySet<string>): readonly string[] {
  const rule = plan.underlays[type]
  if (rule === undefined) return plan.queues.map(({ name }) => name)
  const names = new Set<string>()
  for (const [absent, queues] of Object.entries(rule.standsInFor ?? {})) {
    if (!present.has(absent)) for (const name of queues) names.add(name)
  }
  for (const name of rule.drains) names.add(name)
  return [...names]
}

/** The type of which there are too few in a group, if there is one. */
export function tooFewOf(plan: ChannelPlan, countOf: (type: string) => number): string | undefined {
  return Object.keys(plan.underlays).find((type) => countOf(type) < plan.underlays[type]!.min)
}
