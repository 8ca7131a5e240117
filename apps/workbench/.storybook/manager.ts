import { addons } from 'storybook/manager-api';
import { create } from 'storybook/theming';

addons.setConfig({
  // The stories need the space; the controls open with one key.
  layout: { bottomPanelHeight: 190 },
  theme: create({
    base: globalThis.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
    brandTitle: 'Dramaturg workbench',
  }),
});
