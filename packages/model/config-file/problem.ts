/**
 * What is wrong with a configuration file, and how a person sees it:
 *
 *     router.yml:14:11  link.listeners[0].bind  wanted protocol:host:port, found no port
 *        14 |     bind: tls:0.0.0.0
 *           |           ^^^^^^^^^^^
 */
import { printable, type SourceText, type Span } from './source-text.ts'

/** One finding. An error keeps the program from starting, a warning does not. */
export interface Problem {
  readonly severity: 'error' | 'warning'
  readonly fileName: string
  readonly line: number
  readonly column: number
  /** The key's path (`web[0].bindPoints[1].address`); empty when the file as a whole is meant. */
  readonly path: string
  readonly message: string
  /** The source line and the underline below it. */
  readonly excerpt: string
}

const mostOfEach = 100
const longestPath = 200
const longestMessage = 1_000

/** Gathers the findings about one file; past a hundred errors, or a hundred warnings, it only counts them. */
export class ProblemList {
  readonly source: SourceText
  readonly #problems: Problem[] = []
  readonly #counts = { error: 0, warning: 0 }

  constructor(source: SourceText) {
    this.source = source
  }

  add(severity: Problem['severity'], path: string, span: Span, message: string): void {
    if (++this.#counts[severity] > mostOfEach) return
    this.#problems.push({
      severity,
      fileName: this.source.fileName,
      ...this.source.position(span.start),
      path: printable(shortened(path, longestPath)),
      message: printable(shortened(message, longestMessage)),
      excerpt: this.source.excerpt(span),
    })
  }

  get hasErrors(): boolean {
    return this.#counts.error > 0
  }

  /** How many findings there were beyond those kept. */
  get leftOut(): number {
    return this.#counts.error + this.#counts.warning - this.#problems.length
  }

  /** The findings in the order of the file. */
  inOrder(severity?: Problem['severity']): Problem[] {
    return this.#problems
      .filter((problem) => severity === undefined || problem.severity === severity)
      .sort((a, b) => a.line - b.line || a.column - b.column)
  }
}

function shortened(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** One finding as text, three lines. */
export function renderProblem(problem: Problem): string {
  const { fileName, line, column, path, severity, message, excerpt } = problem
  const place = [`${fileName}:${line}:${column}`, path].filter((part) => part !== '').join('  ')
  return `${place}  ${severity === 'warning' ? 'warning: ' : ''}${message}\n${excerpt}`
}

/** Several findings as text, in the order given. */
export function renderProblems(problems: readonly Problem[]): string {
  return problems.map(renderProblem).join('\n')
}
