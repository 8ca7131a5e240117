export interface JsonataFunction {
  /** In the library's own notation: types of arguments and result. */
  readonly signature: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- The signature says what the arguments are.
  readonly call: (this: any, ...args: any[]) => unknown;
}
