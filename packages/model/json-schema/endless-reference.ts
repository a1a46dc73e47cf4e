import { SchemaError } from './schema-error.ts'
import type { SchemaNode } from './schema-node.ts'

/**
 * Refuses schemas that apply themselves to the same value again (`{"allOf":[{"$ref":"#"}]}`): no document ends that.
 * A schema that comes back for a member or an item is fine, because documents end. Walks without recursion, since a
 * chain of references can be as long as the schema.
 */
export function refuseEndlessReferences(nodes: Iterable<SchemaNode>): void {
  const done = new Set<SchemaNode>()
  for (const start of nodes) {
    const open = new Set<SchemaNode>([start])
    const trail = [{ node: start, next: 0 }]
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const step = top.node.sameValue[top.next++]
      if (step === undefined) {
        open.delete(top.node)
        done.add(top.node)
        trail.pop()
      } else if (open.has(step)) {
        const reason = `Reference cycle: the schema applies ${step.path} to the same value again`
        throw new SchemaError('ENDLESS_REFERENCE', top.node.path, reason)
      } else if (!done.has(step)) {
        open.add(step)
        trail.push({ node: step, next: 0 })
      }
    }
  }
}
