/**
 * The messages of a channel as one table. From it come the typed encoder and decoder, the name of a message in logs,
 * the refusal of messages from the wrong side and of replies that the request does not have.
 *
 * Headers are declared inside their message, because a number alone means nothing: the same one is a flag on one
 * message and an id on another.
 */
import type { Headers } from '../frame/headers.ts'
import type { OutgoingMessage } from '../frame/message.ts'
import type { Decoded, Encodable, MessageTable, ReplyNames, Side } from './definition.ts'
import { MessageCodec } from './message-codec.ts'
import { MessageError } from './message-error.ts'

/** What a catalogue reads. */
export interface Readable {
  readonly contentType: number
  readonly headers: Headers
  readonly body: Buffer
}

/** A message of the table, under its name. */
export type Named<M, K extends keyof M = keyof M> = {
  [N in K]: { readonly name: N; readonly message: Decoded<M, N> }
}[K]

/** The messages that can be sent without saying anything more. */
export type BareName<M> = {
  [K in keyof M]: Record<never, never> extends Encodable<M, K> ? K : never
}[keyof M] &
  string

/** Fails when two messages have one number, or a message two headers of one number. */
export function defineCatalogue<const M extends MessageTable>(
  name: string,
  messages: M & { readonly [K in keyof M]: { readonly replies?: readonly (keyof M)[] } },
): Catalogue<M> {
  return new Catalogue<M>(name, messages)
}

/** Everything that is said over a channel. Its methods throw `MessageError`. */
export class Catalogue<M extends MessageTable> {
  readonly name: string
  readonly messages: M
  readonly #codecs = new Map<string, MessageCodec>()
  readonly #byType = new Map<number, MessageCodec>()

  constructor(name: string, messages: M) {
    this.name = name
    this.messages = messages
    for (const [messageName, definition] of Object.entries(messages)) {
      const codec = new MessageCodec(messageName, definition)
      const other = this.#byType.get(definition.type)
      if (other !== undefined) {
        throw new Error(`${name}: ${other.name} and ${messageName} are both of type ${definition.type}`)
      }
      this.#codecs.set(messageName, codec)
      this.#byType.set(definition.type, codec)
    }
  }

  /** The content type of a message: what a channel is told to listen for. */
  typeOf(name: keyof M): number {
    return this.messages[name]!.type
  }

  /** The name for logs and traces; undefined when the table has no message of this type. */
  nameOf(contentType: number): (keyof M & string) | undefined {
    return this.#byType.get(contentType)?.name
  }

  /** A message ready to be sent. */
  encode<K extends keyof M & string>(name: K, fields: Encodable<M, K>): Required<OutgoingMessage>
  encode(name: BareName<M>): Required<OutgoingMessage>
  encode(name: string, fields: Readonly<Record<string, unknown>> = {}): Required<OutgoingMessage> {
    return this.#codecs.get(name)!.encode(fields)
  }

  /** Reads any message that the given side may send. */
  decode(message: Readable, from: Side<M>): Named<M> {
    const codec = this.#codecFor(message)
    if (!codec.mayComeFrom(from)) throw new MessageError('WRONG_SIDE', `${codec.name} from ${from}`)
    return { name: codec.name, message: codec.decode(message) } as Named<M>
  }

  /** Reads a message that is known to be of one type, for instance because its handler was called. */
  decodeAs<K extends keyof M & string>(name: K, message: Readable): Decoded<M, K> {
    const codec = this.#codecFor(message)
    if (codec.name !== name) throw new MessageError('UNKNOWN_MESSAGE', `${codec.name} where ${name} was expected`)
    return codec.decode(message) as Decoded<M, K>
  }

  /** Reads what a hello or its answer says, of which the channel has taken the rest. */
  decodeHeaders<K extends keyof M & string>(name: K, headers: Headers): Omit<Decoded<M, K>, 'body'> {
    return this.#codecs.get(name)!.decodeHeaders(headers) as Omit<Decoded<M, K>, 'body'>
  }

  /** Reads what came back for a request. */
  decodeReply<K extends keyof M & string>(request: K, reply: Readable): Named<M, ReplyNames<M, K>> {
    const codec = this.#codecFor(reply)
    if (!this.messages[request]?.replies?.includes(codec.name)) {
      throw new MessageError('WRONG_REPLY', `${codec.name} to ${request}`)
    }
    return { name: codec.name, message: codec.decode(reply) } as Named<M, ReplyNames<M, K>>
  }

  #codecFor({ contentType }: Readable): MessageCodec {
    const codec = this.#byType.get(contentType)
    if (codec === undefined) throw new MessageError('UNKNOWN_MESSAGE', `${this.name} ${contentType}`)
    return codec
  }
}
