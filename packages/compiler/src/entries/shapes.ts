/** Shapes of data: checks, sentences about what does not fit, and JSON Schemas. */
export { inEnglish } from '../words.ts';
export {
  type Alternative,
  type Alternatives,
  alternativesMeta,
  shapeByValue,
  jsonSchemaOf,
  mapSchemas,
  withValues,
} from '../json-schema.ts';
export {
  checkShape,
  type UnknownDefinitions,
  unknownDefinitionsOption,
  unknownFields,
} from '../shape.ts';
export {
  decides,
  deciding,
  described,
  type FieldsOfType,
  fieldsOfType,
  nullish,
  older,
  optional,
} from '../shape-field.ts';
