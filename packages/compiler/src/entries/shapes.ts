/** Shapes of data: checks, sentences about what does not fit, and JSON Schemas. */
export { inEnglish } from '../words.ts';
export {
  type Alternative,
  type Alternatives,
  alternativesMeta,
  shapeByValue,
} from '../json-schema.ts';
export { jsonSchemaOf } from '../json-schema.ts';
export { mapSchemas } from '../json-schema.ts';
export { withValues } from '../json-schema.ts';
export { checkShape } from '../shape.ts';
export { decides, described, nullish, older, optional } from '../shape-field.ts';
export { type UnknownDefinitions, unknownDefinitionsOption } from '../shape.ts';
export { unknownFields } from '../shape.ts';
