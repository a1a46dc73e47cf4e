/** How a terminator ranks among those of its service, in protobuf messages and as a byte in headers. */
import { namedByte } from '../catalogue/value-kinds.ts'
import { enumeration, type NamesOf } from '../protobuf/scalars.ts'

const names = { Default: 0, Required: 1, Failed: 2 } as const

export const terminatorPrecedence = enumeration('TerminatorPrecedence', names)

export const precedenceByte = namedByte(names)

export type TerminatorPrecedence = NamesOf<typeof terminatorPrecedence>
