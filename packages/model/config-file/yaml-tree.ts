/**
 * From text to a tree of sections, lists and scalars with their places, in one pass over the `yaml` document.
 *
 * Scalars stay text here; what they mean is decided where it is known what is wanted (`scalar.ts`). An alias becomes the
 * very node it names, so a file whose aliases would unfold to billions of values is still a small tree. Everything that
 * could cost more than the file's size is bounded: tokens before parsing, depth and merged keys while building.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, Lexer, parseAllDocuments, type YAMLMap } from 'yaml'
import { ConfigError } from './config-error.ts'
import { ProblemList } from './problem.ts'
import type { SourceText, Span } from './source-text.ts'

export type YamlNode = ScalarNode | ListNode | SectionNode

export interface ScalarNode {
  readonly form: 'scalar'
  readonly span: Span
  readonly text: string
  /** Whether the text was written without quotes (and without `!!str`), so that `5` is a number and `on` a flag. */
  readonly isPlain: boolean
}

export interface ListNode {
  readonly form: 'list'
  readonly span: Span
  readonly items: readonly YamlNode[]
}

export interface SectionNode {
  readonly form: 'section'
  readonly span: Span
  readonly entries: ReadonlyMap<string, SectionEntry>
}

export interface SectionEntry {
  readonly keySpan: Span
  readonly value: YamlNode
}

const mostTokens = 100_000
const longestToken = 100_000
const marks = new Set(['\ufeff', '\u0002', '\u0018', '\u001f'])
const deepest = 40
const mostMergedKeys = 10_000
const mostSyntaxErrors = 20
const coreTag = /^tag:yaml\.org,2002:(?:int|float|bool|null|map|seq)$/u
const textTag = /^(?:!|tag:yaml\.org,2002:str)$/u

/** The file's one document, a section. Everything that is wrong with it as YAML is told at once; warnings are added. */
export function parseYamlTree(source: SourceText, problems: ProblemList = new ProblemList(source)): SectionNode {
  const root = isTooLongToParse(source, problems) ? undefined : buildRoot(source, problems)
  if (root === undefined || problems.hasErrors) {
    throw ConfigError.badFile(source.fileName, problems.inOrder(), problems.leftOut)
  }
  return root
}

/** Parsing costs some microseconds per token and per escape in a quoted word, so both are bounded before it begins. */
function isTooLongToParse(source: SourceText, problems: ProblemList): boolean {
  let count = 0
  let offset = 0
  for (const token of new Lexer().lex(source.text)) {
    if (++count > mostTokens) {
      problems.add(
        'error',
        '',
        { start: offset, end: offset + 1 },
        `more than ${mostTokens} words and signs in the file`,
      )
      return true
    }
    if (token.length > longestToken) {
      problems.add('error', '', { start: offset, end: offset + 1 }, `a value longer than ${longestToken} characters`)
      return true
    }
    // The lexer marks modes with control characters, which no source that comes here contains.
    if (!marks.has(token)) offset += token.length
  }
  return false
}

function buildRoot(source: SourceText, problems: ProblemList): SectionNode | undefined {
  // Pretty errors copy the whole line into each error: a one-line file of a megabyte would cost minutes.
  const parsed = parseAllDocuments(source.text, {
    version: '1.1',
    schema: 'failsafe',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  })
  // What follows `...` or `---` and is only comments is not a second document to whoever wrote it.
  const documents = (parsed as Document.Parsed[]).filter((document, index) => index === 0 || !isEmpty(document))
  for (const document of documents) addSyntaxErrors(document, problems)
  if (problems.hasErrors) return undefined
  const second = documents[1]
  if (second !== undefined) {
    const start = second.contents?.range[0] ?? 0
    problems.add('error', '', { start, end: start + 1 }, 'a second YAML document begins; wanted only one in the file')
    return undefined
  }
  const contents = documents[0]?.contents
  if (!contents || isEmpty(documents[0]!)) {
    problems.add('error', '', { start: 0, end: 1 }, 'the file is empty')
    return undefined
  }
  const root = new TreeBuilder(problems).build(contents, '', 0)
  if (root.form === 'section') return root
  problems.add('error', '', root.span, 'wanted `key: value` lines at the top level')
  return undefined
}

function isEmpty(document: Document.Parsed): boolean {
  const { contents } = document
  return contents === null || (isScalar(contents) && contents.type === 'PLAIN' && contents.value === '')
}

const syntaxMessages: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab is used to indent; YAML wants spaces',
  BLOCK_AS_IMPLICIT_KEY: 'a second `key:` in one value; check the indentation, or put the value in quotes',
  MULTILINE_IMPLICIT_KEY: 'a key goes over several lines; check the indentation and the colon',
  BAD_SCALAR_START: 'a value cannot begin with this sign; put it in quotes',
  BAD_DQ_ESCAPE: 'an unknown escape in double quotes; write \\\\ for a backslash, or use single quotes',
  RESOURCE_EXHAUSTION: 'the file is nested too deeply',
}

/** The first error of each line: the others on it are its consequences. */
function addSyntaxErrors(document: Document.Parsed, problems: ProblemList): void {
  const seen = new Set<number>()
  for (const error of document.errors) {
    const line = problems.source.lineOf(error.pos[0])
    if (seen.has(line)) continue
    seen.add(line)
    if (seen.size > mostSyntaxErrors) return
    const message = syntaxMessages[error.code] ?? `not valid YAML: ${error.message.split('\n', 1)[0]}`
    problems.add('error', '', { start: error.pos[0], end: error.pos[1] }, message)
  }
}

class TreeBuilder {
  readonly #problems: ProblemList
  readonly #anchors = new Map<string, YamlNode | 'open'>()
  /** How many levels lie below a list or a section: an alias puts them all where it stands. */
  readonly #heights = new WeakMap<YamlNode, number>()
  #mergedKeys = 0

  constructor(problems: ProblemList) {
    this.#problems = problems
  }

  build(node: unknown, path: string, depth: number): YamlNode {
    const span = spanOf(node)
    if (depth > deepest) return this.#refuse(path, span, `nested more than ${deepest} levels deep`)
    if (isAlias(node)) return this.#named(node.source, path, span, depth)
    const tag = isScalar(node) || isMap(node) || isSeq(node) ? node.tag : undefined
    if (tag !== undefined && !coreTag.test(tag) && !textTag.test(tag)) {
      return this.#refuse(path, span, `the tag ${tag} means nothing here`)
    }
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined
    if (anchor !== undefined) this.#anchors.set(anchor, 'open')
    const built = this.#content(node, path, depth, span)
    this.#heights.set(built, this.#heightOf(built))
    if (anchor !== undefined) this.#anchors.set(anchor, built)
    return built
  }

  #content(node: unknown, path: string, depth: number, span: Span): YamlNode {
    if (isMap(node)) return { form: 'section', span, entries: this.#entries(node, path, depth) }
    if (isSeq(node)) {
      return { form: 'list', span, items: node.items.map((item, at) => this.build(item, `${path}[${at}]`, depth + 1)) }
    }
    if (!isScalar(node)) return emptyNode(span)
    const isPlain = node.type === 'PLAIN' && !textTag.test(node.tag ?? '')
    return { form: 'scalar', span, text: String(node.value), isPlain }
  }

  #entries(map: YAMLMap, path: string, depth: number): Map<string, SectionEntry> {
    const entries = new Map<string, SectionEntry>()
    const merged: { node: YamlNode; span: Span }[] = []
    for (const { key, value } of map.items) {
      const keySpan = spanOf(key)
      if (!isScalar(key)) {
        this.#refuse(path, keySpan, 'wanted a word as key')
        continue
      }
      const name = String(key.value)
      const child = path === '' ? name : `${path}.${name}`
      if (name === '<<' && key.type === 'PLAIN') {
        merged.push({ node: this.build(value, child, depth + 1), span: spanOf(value) })
        continue
      }
      const first = entries.get(name)
      if (first !== undefined) {
        const line = this.#problems.source.lineOf(first.keySpan.start)
        this.#problems.add('warning', child, keySpan, `given twice; that in line ${line} has no effect`)
      }
      // A key without a value has nothing to underline but itself.
      const built = value === null ? emptyNode(keySpan) : this.build(value, child, depth + 1)
      const isNothing = built.span.start === built.span.end
      entries.set(name, { keySpan, value: isNothing ? { ...built, span: keySpan } : built })
    }
    for (const { node, span } of merged) this.#merge(entries, node, path, span)
    return entries
  }

  /** `<<` takes over what a section, or each of a list of sections, has and this one does not. */
  #merge(entries: Map<string, SectionEntry>, node: YamlNode, path: string, span: Span): void {
    if (node.form === 'list') {
      for (const item of node.items) this.#merge(entries, item, path, span)
      return
    }
    if (node.form !== 'section') {
      this.#refuse(path, span, '`<<` wants a section to take over')
      return
    }
    this.#mergedKeys += node.entries.size + 1
    if (this.#mergedKeys > mostMergedKeys) {
      if (!this.#problems.hasErrors) this.#refuse(path, span, `\`<<\` takes over more than ${mostMergedKeys} keys`)
      return
    }
    for (const [name, entry] of node.entries) if (!entries.has(name)) entries.set(name, entry)
  }

  #named(name: string, path: string, span: Span, depth: number): YamlNode {
    const node = this.#anchors.get(name)
    if (node === 'open') return this.#refuse(path, span, `*${name} stands inside the value it names`)
    if (!node) return this.#refuse(path, span, `nothing before this is named &${name}; a value with a * needs quotes`)
    const isTooDeep = depth + (this.#heights.get(node) ?? 0) > deepest
    return isTooDeep ? this.#refuse(path, span, `nested more than ${deepest} levels deep`) : node
  }

  #heightOf(node: YamlNode): number {
    if (node.form === 'scalar') return 0
    let highest = 0
    const children = node.form === 'list' ? node.items : node.entries.values().map((entry) => entry.value)
    for (const child of children) highest = Math.max(highest, this.#heights.get(child) ?? 0)
    return highest + 1
  }

  #refuse(path: string, span: Span, message: string): YamlNode {
    this.#problems.add('error', path, span, message)
    return emptyNode(span)
  }
}

function emptyNode(span: Span): ScalarNode {
  return { form: 'scalar', span, text: '', isPlain: true }
}

function spanOf(node: unknown): Span {
  const range = (node as { range?: [number, number, number] | null } | null)?.range
  return range ? { start: range[0], end: range[1] } : { start: 0, end: 0 }
}
