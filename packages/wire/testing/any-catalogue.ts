/** A catalogue whose messages the type checker does not know, for tests that run over all of them. */
import type { Catalogue, Readable } from '../catalogue/catalogue.ts'
import type { MessageTable } from '../catalogue/definition.ts'
import type { OutgoingMessage } from '../frame/message.ts'

export interface AnyCatalogue {
  readonly name: string
  readonly messages: MessageTable
  nameOf(contentType: number): string | undefined
  decode(message: Readable, from: string): { name: string; message: Record<string, unknown> }
  encode(name: string, fields: Record<string, unknown>): Required<OutgoingMessage>
}

export function anyCatalogue<M extends MessageTable>(catalogue: Catalogue<M>): AnyCatalogue {
  return catalogue as unknown as AnyCatalogue
}
