/** Checks and compiles definitions, and runs the result: the entry of applications. The other entries are for tools and hosts. */
export type { Chart } from './chart/chart.ts';
export { type Checked, check, compile, type Compiled, type CompileOptions } from './compile.ts';
export type { AnyFormat } from './detect.ts';
export {
  type Diagnostic,
  hasErrors,
  type Position,
  type Range,
  type Severity,
} from './diagnostic.ts';
export { DramaturgError } from './error.ts';
export { fromJson, toJson } from './export/artifact.ts';
export { isRecord, type Json, type JsonObject } from './json.ts';
export { type EventObject, InputError } from './link/behaviour.ts';
export { link, LinkError, type LinkOptions } from './link/link.ts';
export { listen } from './link/listen.ts';
export type { Path } from './json.ts';
export { type Places, placesIn, type PlacesOptions } from './places.ts';
export {
  type NextReply,
  type Port,
  type PortInput,
  type PortName,
  type PortOutput,
  type Ports,
  portSchemas,
  type PromptSection,
  type ToolCall,
  type ToolSpec,
  type Usage,
} from './ports/contract.ts';
export type { PortCall, SpokenLine } from './ports/contract.ts';
export { PortError, type PortErrorCode } from './ports/errors.ts';
export { providePorts } from './ports/provide.ts';
export type { ProvideOptions } from './ports/provide.ts';
export type { Source } from './read/source.ts';
export { printGithub } from './print/json.ts';
export { diagnosticsToJson, type PlacedFinding } from './print/json.ts';
export { printPretty } from './print/pretty.ts';
