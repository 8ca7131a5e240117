/** Shapes of data: checks, sentences about what does not fit, and JSON Schemas. */
export { inEnglish } from '../in-english.ts';
export {
  type Alternative,
  type Alternatives,
  alternativesMeta,
  shapeByValue,
} from '../json-schema/alternatives.ts';
export { jsonSchemaOf } from '../json-schema/json-schema.ts';
export { mapSchemas } from '../json-schema/map-schemas.ts';
export { withValues } from '../json-schema/with-values.ts';
export { checkShape } from '../shape.ts';
export { type UnknownDefinitions, unknownDefinitionsOption } from '../unknown-definitions.ts';
export { unknownFields } from '../unknown-fields.ts';
