/**
 * How an entity is pointed to: by its links, and by the short record that others carry of it.
 */
import type { Row } from '../state/row.ts'
import type { Resource } from './resource.ts'

export type Link = { readonly href: string }
export type Links = Readonly<Record<string, Link>>

/** A reference to another entity, as records carry it. */
export interface EntityReference {
  readonly _links: Links
  readonly entity: string
  readonly id: string
  readonly name?: string
}

export function linksOf(resource: Resource, row: Row): Links {
  const self = `./${resource.collection}/${row.id}`
  const links: Record<string, Link> = { self: { href: self } }
  for (const [path, sublist] of Object.entries(resource.sublists ?? {})) {
    if (sublist.isLinked) links[path] = { href: `${self}/${path}` }
  }
  for (const [name, href] of Object.entries(resource.links?.(row) ?? {})) links[name] = { href }
  return links
}

/** The same links as JSON: what stands between the ids is worked out once. */
export function linksText(resource: Resource): (row: Row) => string {
  const { collection, links } = resource
  const paths = Object.entries(resource.sublists ?? {}).flatMap(([path, { isLinked }]) => (isLinked ? [path] : []))
  const linked = ['self', ...paths].map((name) => `${JSON.stringify(name)}:{"href":"./${collection}/`)
  const pieces = linked.map((start, at) => {
    const before = at === 0 ? '{' : at === 1 ? '"},' : `/${paths[at - 2]}"},`
    return before + start
  })
  pieces.push(paths.length === 0 ? '"}' : `/${paths.at(-1)}"}`)
  return (row) => {
    let text = pieces.join(JSON.stringify(row.id).slice(1, -1))
    const more = links?.(row)
    for (const name in more) text += `,"${name}":{"href":${JSON.stringify(more[name])}}`
    return `${text}}`
  }
}

export function referenceTo(resource: Resource, row: Row): EntityReference {
  const name = (row as unknown as { readonly name?: string }).name
  return { _links: linksOf(resource, row), entity: resource.collection, id: row.id, ...(name && { name }) }
}
