/** The page on the messages of the channels, written from their catalogues. */
import {
  agentMessages,
  controlHello,
  controlMessages,
  edgeHello,
  edgeMessages,
  linkHello,
  linkMessages,
  managementMessages,
} from '@weft/wire/messages'

const chapters = [
  { title: 'Control channel: controller and router', tables: [controlHello.messages, controlMessages.messages] },
  { title: 'Links: router and router', tables: [linkHello.messages, linkMessages.messages] },
  { title: 'Edge channel: SDK and router', tables: [edgeHello.messages, edgeMessages.messages] },
  { title: 'Management stream: tools and controller', tables: [managementMessages.messages] },
  { title: 'Operations socket: command line and router', tables: [agentMessages.messages] },
] as const

type Table = Readonly<Record<string, Definition>>

/** As much of a definition as the page shows. */
interface Definition {
  readonly type: number
  readonly from: string
  readonly headers?: Readonly<Record<string, Header>>
  readonly body?: Content
  readonly replies?: readonly string[]
}

type Header =
  | { readonly key: number; readonly content: Content; readonly isRequired: boolean }
  | { readonly first: number; readonly last: number }

type Content = { readonly kind: string } | Message
type Field = readonly [number, FieldType] | { readonly choices: Readonly<Record<string, readonly [number, FieldType]>> }

interface Message {
  readonly form: 'message'
  readonly name: string
  readonly fields: Readonly<Record<string, Field>>
}

type FieldType =
  | Message
  | { readonly form: 'scalar'; readonly name: string; readonly names?: Readonly<Record<string, number>> }
  | { readonly form: 'repeated'; readonly element: FieldType }
  | { readonly form: 'map'; readonly key: FieldType; readonly value: FieldType }

export function messagesPage(): string {
  return `# Messages

What the parts of a network say to each other. A message has a type, headers under numbers, and a body. Headers marked with
a question mark may be absent. Numbers in headers are little-endian; capability masks are big-endian. Headers that belong to
every channel (0 to 13 and 128) stand here only where a message gives them its own meaning.

${chapters.map(({ title, tables }) => chapter(title, tables)).join('\n')}`
}

function chapter(title: string, tables: readonly Table[]): string {
  const rows = tables.flatMap((table) =>
    Object.entries(table)
      .sort(([, a], [, b]) => a.type - b.type)
      .map(row),
  )
  const messages = new Set<Message>()
  for (const definition of tables.flatMap((table) => Object.values(table))) {
    for (const content of contentsOf(definition)) if ('form' in content) collect(content, messages)
  }
  const bodies = [...messages].map((message) => `| ${message.name} | ${fieldsOf(message)} |`)
  const bodyTable = bodies.length === 0 ? '' : `\n| protobuf | fields |\n|---|---|\n${bodies.join('\n')}\n`
  return `## ${title}

| type | message | from | headers | body | replies |
|---|---|---|---|---|---|
${rows.join('\n')}
${bodyTable}`
}

function row([name, { type, from, headers, body, replies }]: [string, Definition]): string {
  const listed = Object.entries(headers ?? {}).map(([header, definition]) => headerOf(header, definition))
  const cells = [type, `\`${name}\``, from, listed.join('<br>'), body === undefined ? '' : contentOf(body)]
  return `| ${cells.join(' | ')} | ${(replies ?? []).map((reply) => `\`${reply}\``).join(' ')} |`
}

function headerOf(name: string, header: Header): string {
  if ('first' in header) return `${header.first}–${header.last} \`${name}\``
  return `${header.key} \`${name}\`${header.isRequired ? '' : '?'} ${contentOf(header.content)}`
}

function contentOf(content: Content): string {
  return 'form' in content ? content.name : content.kind
}

function contentsOf({ headers, body }: Definition): Content[] {
  const inHeaders = Object.values(headers ?? {}).flatMap((header) => ('content' in header ? [header.content] : []))
  return body === undefined ? inHeaders : [...inHeaders, body]
}

function collect(message: Message, into: Set<Message>): void {
  if (into.has(message)) return
  into.add(message)
  for (const [, [, type]] of numbered(message)) {
    if (type.form === 'message') collect(type, into)
    if (type.form === 'repeated' && type.element.form === 'message') collect(type.element, into)
    if (type.form === 'map' && type.value.form === 'message') collect(type.value, into)
  }
}

function fieldsOf(message: Message): string {
  return numbered(message)
    .map(([name, [number, type]]) => `${number} \`${name}\` ${typeOf(type)}`)
    .join('<br>')
}

function numbered({ fields }: Message): [string, readonly [number, FieldType]][] {
  const all = Object.entries(fields).flatMap(([name, field]): [string, readonly [number, FieldType]][] =>
    'choices' in field ? Object.entries(field.choices) : [[name, field]],
  )
  return all.sort(([, [a]], [, [b]]) => a - b)
}

function typeOf(type: FieldType): string {
  if (type.form === 'repeated') return `list of ${typeOf(type.element)}`
  if (type.form === 'map') return `map of ${typeOf(type.key)} to ${typeOf(type.value)}`
  if (type.form === 'message' || type.names === undefined) return type.name
  return `${type.name} (${Object.entries(type.names)
    .map(([name, number]) => `${name} ${number}`)
    .join(', ')})`
}
