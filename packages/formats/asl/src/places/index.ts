import type { Source } from '@dramaturg/compiler';
import type {
  FoundPlace,
  PlaceFinder,
  Placeholders,
  PlaceholderValues,
} from '@dramaturg/compiler/format';
import { cloudFormationPlaces } from './cloudformation.ts';
import { functionIn, resolve } from './functions.ts';
import { hclPlaces } from './hcl.ts';
import { serverlessPlaces } from './serverless.ts';
import { terraformPlaces } from './terraform.ts';

/** Workflows inside the files that deploy them. Spec: docs/formats/asl-deployment.md */
export const places: PlaceFinder = {
  suffixes: ['.tf'],
  find: (file, values): readonly FoundPlace[] | undefined =>
    file.value === undefined ? hclPlaces(file, values) : placesInValue(file, values),
};

/** The string that a function of CloudFormation gives in a definition that another file includes. */
export const textOfCall: NonNullable<Placeholders['textOfCall']> = (value) => {
  const text = functionIn(value) && resolve(value, { value: {}, values: {} });
  return typeof text === 'string' ? text : undefined;
};

function placesInValue(file: Source, values: PlaceholderValues): readonly FoundPlace[] | undefined {
  return (
    cloudFormationPlaces(file, [], values) ??
    serverlessPlaces(file, values) ??
    terraformPlaces(file, values)
  );
}
