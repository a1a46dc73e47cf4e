import { foundNode, type Kind, refuse } from './kind.ts'
import type { Keys, SectionKind, ValueOf } from './section.ts'

/** One of two sections, told apart by whether a key is there. */
export function sectionByKey<P extends Keys, A extends Keys>(
  key: string,
  sections: { readonly present: SectionKind<P>; readonly absent: SectionKind<A> },
): Kind<ValueOf<P> | ValueOf<A>> {
  const { present, absent } = sections
  return {
    wanted: absent.wanted,
    parts: {
      form: 'choices',
      lead: `Whether there is a key \`${key}\` decides which other keys there are.`,
      choices: { [`without ${key}`]: absent, [`with ${key}`]: present },
    },
    read(node, place) {
      if (node.form !== 'section') return refuse(node, place, absent.wanted, foundNode(node))
      return node.entries.has(key) ? present.read(node, place) : absent.read(node, place)
    },
    show: () => '{}',
  }
}
