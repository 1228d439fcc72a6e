import {defineBackground, log, type StartIdentity} from 'crewroom-background-sdk';
import {id} from '../../plugin.json';
import type {UserSettings} from '../settings';

let pilot: StartIdentity;

async function readSettings(): Promise<UserSettings> {
  const response = await fetch(`http://localhost:7172/api/settings/${id}`);
  return (await response.json()) as UserSettings;
}

export default defineBackground<UserSettings>({
  onStart(identity) {
    pilot = identity;
    void log(`started for ${pilot.va_user.pilotID}`);
  },

  onSettingsUpdate({greeting}) {
    void log(`the greeting is now ${greeting}`);
  },

  routes: {
    get: {
      greeting: {
        description: 'The greeting of the pilot: {text}',
        handler: async (_request, response) => {
          const {greeting} = await readSettings();
          response.json({text: `${greeting}, ${pilot.va_user.firstName}`});
        },
      },
    },
  },
});
