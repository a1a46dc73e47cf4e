/** Reads and writes the messages of one definition. */
import { Headers } from '../frame/headers.ts'
import { ProtobufError } from '../protobuf/protobuf-error.ts'
import type { Content, HeaderField, HeaderRange, MessageDefinition } from './definition.ts'
import { MessageError, type MessageErrorCode } from './message-error.ts'
import { ValueError } from './value-kinds.ts'

type Values = Record<string, unknown>

const noBody = Buffer.alloc(0)

export class MessageCodec {
  readonly name: string
  readonly #definition: MessageDefinition
  readonly #fields: readonly (readonly [string, HeaderField])[]
  readonly #ranges: readonly (readonly [string, HeaderRange])[]
  readonly #keys: ReadonlySet<number>

  constructor(name: string, definition: MessageDefinition) {
    this.name = name
    this.#definition = definition
    const headers = Object.entries(definition.headers ?? {})
    this.#fields = headers.flatMap(([field, header]) => ('key' in header ? [[field, header] as const] : []))
    this.#ranges = headers.flatMap(([field, header]) => ('key' in header ? [] : [[field, header] as const]))
    this.#keys = new Set(this.#fields.map(([, { key }]) => key))
    if (this.#keys.size < this.#fields.length) throw new Error(`${name}: two headers have one number`)
    if (definition.headers !== undefined && 'body' in definition.headers) throw new Error(`${name}: body is no header`)
  }

  mayComeFrom(side: unknown): boolean {
    return this.#definition.from === 'either' || this.#definition.from === side
  }

  decode({ headers, body }: { readonly headers: Headers; readonly body: Buffer }): Values {
    const values = this.decodeHeaders(headers)
    const content = this.#definition.body
    if (content !== undefined) values['body'] = this.#read('BAD_BODY', 'body', content, body)
    return values
  }

  decodeHeaders(headers: Headers): Values {
    const values: Values = {}
    for (const [field, { key, content, isRequired }] of this.#fields) {
      const bytes = headers.get(key)
      if (bytes === undefined && isRequired) throw new MessageError('MISSING_HEADER', `${this.name}.${field}`)
      values[field] = bytes === undefined ? undefined : this.#read('BAD_HEADER', field, content, bytes)
    }
    for (const [field, range] of this.#ranges) values[field] = this.#readRange(range, headers)
    return values
  }

  encode(values: Readonly<Values>): { contentType: number; headers: Headers; body: Buffer } {
    const headers = new Headers()
    for (const [field, { key, content, isRequired }] of this.#fields) {
      const value = values[field]
      if (value !== undefined) headers.set(key, this.#write(field, content, value))
      else if (isRequired) throw new MessageError('MISSING_HEADER', `${this.name}.${field}`)
    }
    for (const [field, range] of this.#ranges) {
      this.#writeRange(field, range, values[field] as ReadonlyMap<number, Buffer> | undefined, headers)
    }
    const content = this.#definition.body
    const body = content === undefined ? noBody : this.#write('body', content, values['body'])
    return { contentType: this.#definition.type, headers, body }
  }

  #readRange({ first, last, offset }: HeaderRange, headers: Headers): ReadonlyMap<number, Buffer> {
    const map = new Map<number, Buffer>()
    for (const [key, value] of headers) {
      if (key >= first && key <= last && !this.#keys.has(key)) map.set(key - offset, value)
    }
    return map
  }

  /** A value that would land on a header of another meaning is refused: whoever fills the map may be a stranger. */
  #writeRange(
    field: string,
    { first, last, offset }: HeaderRange,
    values: ReadonlyMap<number, Buffer> | undefined,
    headers: Headers,
  ): void {
    for (const [place, value] of values ?? []) {
      const key = place + offset
      if (key < first || key > last || this.#keys.has(key)) {
        throw new MessageError('BAD_VALUE', `${this.name}.${field} has no place for ${place}`)
      }
      headers.set(key, value)
    }
  }

  #read(code: MessageErrorCode, field: string, content: Content, bytes: Buffer): unknown {
    try {
      return 'form' in content ? content.decode(bytes) : content.read(bytes)
    } catch (error) {
      throw this.#explained(code, field, error)
    }
  }

  #write(field: string, content: Content, value: unknown): Buffer {
    try {
      return 'form' in content ? content.encode((value ?? {}) as Values) : content.write(value)
    } catch (error) {
      throw this.#explained('BAD_VALUE', field, error)
    }
  }

  #explained(code: MessageErrorCode, field: string, error: unknown): unknown {
    if (!(error instanceof ValueError) && !(error instanceof ProtobufError)) return error
    return new MessageError(code, `${this.name}.${field}: ${error.message}`, { cause: error })
  }
}
