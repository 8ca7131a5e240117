/** The reader of JSON Schemas. For browsers it is bundled with its own part of zod, so that other pages do not load that part. */
export { fromJSONSchema, prettifyError } from 'zod';
