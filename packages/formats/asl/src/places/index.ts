import type { FoundPlace, PlaceFinder, PlaceholderValues, Source } from '@dramaturg/compiler';
import { cloudFormationPlaces } from './cloudformation.ts';
import { hclPlaces } from './hcl.ts';
import { serverlessPlaces } from './serverless.ts';
import { terraformPlaces } from './terraform.ts';

/** Workflows inside the files that deploy them. Spec: docs/formats/asl-deployment.md */
export const places: PlaceFinder = {
  suffixes: ['.tf'],
  find: (file, values): readonly FoundPlace[] | undefined =>
    file.value === undefined ? hclPlaces(file, values) : placesInValue(file, values),
};

function placesInValue(file: Source, values: PlaceholderValues): readonly FoundPlace[] | undefined {
  return (
    cloudFormationPlaces(file, [], values) ??
    serverlessPlaces(file, values) ??
    terraformPlaces(file, values)
  );
}
