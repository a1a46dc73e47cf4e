/** How a message is declared, and the types that follow from the declaration. */
import type { AnyMessage, InitOf, MessageOf } from '../protobuf/message-type.ts'
import type { ValueKind } from './value-kinds.ts'

/** What a header or body holds: a kind, or a protobuf message. */
export type Content = ValueKind<unknown> | AnyMessage

/** One header. */
export interface HeaderField<C extends Content = Content, Required extends boolean = boolean> {
  readonly key: number
  readonly content: C
  readonly isRequired: Required
}

/** All headers of a range that are not declared otherwise, as a map under `key - offset`. */
export interface HeaderRange {
  readonly first: number
  readonly last: number
  readonly offset: number
}

export type HeaderTable = Readonly<Record<string, HeaderField | HeaderRange>>

/** A message: its number, who may send it, what it carries and what answers it. */
export interface MessageDefinition {
  readonly type: number
  /** The side that sends it, or `either`. */
  readonly from: string
  readonly headers?: HeaderTable
  /** Without one the body is empty; what a peer puts there nevertheless is not looked at. */
  readonly body?: Content
  readonly replies?: readonly string[]
}

export type MessageTable = Readonly<Record<string, MessageDefinition>>

/** The message is refused without the header. */
export function required<C extends Content>(key: number, content: C): HeaderField<C, true> {
  return { key, content, isRequired: true }
}

export function optional<C extends Content>(key: number, content: C): HeaderField<C, false> {
  return { key, content, isRequired: false }
}

/** The headers `first` to `last` that have no other name in the message, as a map; keys count from `offset`. */
export function headersBetween(first: number, last: number, offset = 0): HeaderRange {
  return { first, last, offset }
}

type Read<C> = C extends AnyMessage ? MessageOf<C> : C extends ValueKind<infer T> ? T : never
type Write<C> = C extends AnyMessage ? InitOf<C> : C extends ValueKind<infer T> ? T : never

type HeadersOf<D> = D extends { readonly headers: infer H } ? H : Record<never, never>
type BodyOf<D, C extends 'read' | 'write'> = D extends { readonly body: infer B extends Content }
  ? { readonly body: C extends 'read' ? Read<B> : Write<B> }
  : unknown

type ReadHeader<F> =
  F extends HeaderField<infer C, infer R>
    ? R extends true
      ? Read<C>
      : Read<C> | undefined
    : F extends HeaderRange
      ? ReadonlyMap<number, Buffer>
      : never

type WriteHeader<F> = F extends HeaderField<infer C> ? Write<C> : ReadonlyMap<number, Buffer>
type RequiredNames<H> = { [K in keyof H]: H[K] extends HeaderField<Content, true> ? K : never }[keyof H]

type Flat<T> = { [K in keyof T]: T[K] }

/** What is read from a message of the table: its headers by name, and its body. */
export type Decoded<M, K extends keyof M> = Flat<
  { readonly [N in keyof HeadersOf<M[K]>]: ReadHeader<HeadersOf<M[K]>[N]> } & BodyOf<M[K], 'read'>
>

/** What a message of the table is written from: optional headers may be left out. */
export type Encodable<M, K extends keyof M> = Flat<
  {
    readonly [N in RequiredNames<HeadersOf<M[K]>>]: WriteHeader<HeadersOf<M[K]>[N]>
  } & {
    readonly [N in Exclude<keyof HeadersOf<M[K]>, RequiredNames<HeadersOf<M[K]>>>]?:
      | WriteHeader<HeadersOf<M[K]>[N]>
      | undefined
  } & BodyOf<M[K], 'write'>
>

/** The names of the messages that may answer one. */
export type ReplyNames<M, K extends keyof M> = M[K] extends { readonly replies: readonly (infer R)[] }
  ? Extract<R, keyof M>
  : never

/** The sides that speak over the channel of a table. */
export type Side<M> = M[keyof M] extends { readonly from: infer F } ? Exclude<F, 'either'> : never
