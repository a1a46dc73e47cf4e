/** The symbols that an expression may name: those of its list, and in a sub-query those that both lists share. */
import { FilterError } from './filter-error.ts'
import { type FilterSymbol, findSymbol, type SymbolTable } from './symbol.ts'

export class Scope<Row, Context> {
  readonly #table: SymbolTable<Row, Context>
  readonly #outermost: SymbolTable<Row, Context>

  constructor(table: SymbolTable<Row, Context>, outermost = table) {
    this.#table = table
    this.#outermost = outermost
  }

  find(name: string): FilterSymbol<Row, Context> | undefined {
    const symbol = findSymbol(this.#table, name)
    if (this.#table === this.#outermost || symbol === undefined) return symbol
    return findSymbol(this.#outermost, name) === undefined ? undefined : symbol
  }

  get(name: string): FilterSymbol<Row, Context> {
    const symbol = this.find(name)
    if (symbol !== undefined) return symbol
    throw new FilterError(this.#outermost.unknownSymbol?.(name) ?? `unknown symbol '${name}'`)
  }

  /** The scope of a sub-query over the entities that a set refers to, or undefined when it refers to none. */
  inside(name: string): Scope<Row, Context> | undefined {
    const symbol = this.find(name)
    if (symbol?.linked === undefined) return undefined
    return new Scope(symbol.linkedTable?.() ?? this.#table, this.#outermost)
  }
}
