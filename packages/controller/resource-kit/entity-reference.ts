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
  const links: Record<string, Link> = sameLinks(resource, row.id)
  for (const [name, href] of Object.entries(resource.links?.(row) ?? {})) links[name] = { href }
  return links
}

/** The same links as JSON. What stands between the ids is worked out once. */
export function linksText(resource: Resource): (row: Row) => string {
  const id = '{id}'
  const pieces = JSON.stringify(sameLinks(resource, id)).slice(0, -1).split(id)
  return (row) => {
    let text = pieces.join(JSON.stringify(row.id).slice(1, -1))
    const own = resource.links?.(row)
    for (const name in own) text += `,${JSON.stringify(name)}:{"href":${JSON.stringify(own[name])}}`
    return `${text}}`
  }
}

/** The links that all entities of a resource have. */
function sameLinks({ collection, sublists = {} }: Resource, id: string): Record<string, Link> {
  const self = `./${collection}/${id}`
  const links: Record<string, Link> = { self: { href: self } }
  for (const [path, { isLinked }] of Object.entries(sublists)) {
    if (isLinked) links[path] = { href: `${self}/${path}` }
  }
  return links
}

export function referenceTo(resource: Resource, row: Row): EntityReference {
  const name = (row as unknown as { readonly name?: string }).name
  return { _links: linksOf(resource, row), entity: resource.collection, id: row.id, ...(name && { name }) }
}
