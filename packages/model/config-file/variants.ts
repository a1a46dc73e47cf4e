import { foundNode, isValue, type Kind, refuse, refused } from './kind.ts'
import { oneOf } from './scalar-kinds.ts'
import type { Keys, SectionKind, ValueOf } from './section.ts'

type Variants = Readonly<Record<string, SectionKind<Keys>>>
type KeysOf<S> = S extends SectionKind<infer K> ? K : never
/** The union of the variants' values, each with its tag. */
export type VariantOf<Tag extends string, V extends Variants> = {
  [N in keyof V & string]: { readonly [T in Tag]: N } & ValueOf<KeysOf<V[N]>>
}[keyof V & string]

/** A section whose further keys depend on one of them: `binding: edge` has other options than `binding: tunnel`. */
export function variants<const Tag extends string, V extends Variants>(tag: Tag, sections: V): Kind<VariantOf<Tag, V>> {
  const wanted = `a section with \`${tag}\``
  const names = oneOf(Object.keys(sections))
  return {
    wanted,
    parts: {
      form: 'choices',
      lead: `\`${tag}\` (required) decides which other keys there are: ${names.wanted}.`,
      choices: Object.fromEntries(Object.entries(sections).map(([name, section]) => [`${tag}: ${name}`, section])),
    },
    read(node, place) {
      if (node.form !== 'section') return refuse(node, place, wanted, foundNode(node))
      const entry = node.entries.get(tag)
      if (entry === undefined) {
        place.key(tag, place.span).problem(place.span, `is required, and missing: ${names.wanted}`)
        return refused
      }
      const tagPlace = place.key(tag, entry.keySpan)
      const name = names.read(entry.value, tagPlace)
      if (!isValue(name)) return refused
      const value = sections[name]!.readSection(node, place, [tag])
      const tagged = { [tag]: name, ...value } as VariantOf<Tag, V>
      const located = place.reading.located(value)!
      const keys = new Map(located.keys).set(tag, { path: tagPlace.path, span: entry.value.span, node: entry.value })
      place.reading.remember(tagged, { ...located, keys })
      return tagged
    },
    show: () => '{}',
  }
}
