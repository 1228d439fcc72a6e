import type {FlightStatus} from '../../domain/plugins/flight.ts';
import type {PluginLogLine, PluginStatus} from '../../domain/plugins/plugin.ts';
import type {SettingValues} from '../../domain/plugins/user-settings.ts';
import {AppError} from '../../failures/app-error.ts';
import {type FlightCommand, formatFlightCommand, readFlight} from '../../protocol/plugin/flight-document.ts';
import {type PluginList, readPlugin, readPluginLogs, readPlugins} from '../../protocol/plugin/plugin-documents.ts';
import {readService} from '../../protocol/service-documents.ts';
import {readDocument} from '../../protocol/text/read-document.ts';
import type {SettingsCall} from '../catalogue/call.ts';
import type {ConnectOptions} from './connection.ts';
import {connectJson} from './json-sender.ts';

/** Plugins and the simulated flight of a running service. Each method throws what the service threw. */
export interface PluginClient {
  /** Address of the service. */
  readonly url: string;
  list(): Promise<PluginList>;
  status(id: string): Promise<PluginStatus>;
  logs(id: string): Promise<readonly PluginLogLine[]>;
  /** Reads the data directory; undefined if the store is in memory, or if the caller must not know it. */
  dataDir(): Promise<string | undefined>;
  restart(id: string): Promise<PluginStatus>;
  /** Changes settings. @returns All settings of the plugin. */
  set(id: string, changes: SettingValues): Promise<SettingValues>;
  /** Reads the flight. @throws {AppError} `no-flight`. */
  flight(): Promise<FlightStatus>;
  changeFlight(command: FlightCommand): Promise<FlightStatus>;
  stopFlight(): Promise<void>;
}

/** Creates a client of the plugins of the service that the settings of a call name. Sends nothing yet. */
export async function connectPlugins(call: SettingsCall, options: ConnectOptions = {}): Promise<PluginClient> {
  const {url, send} = await connectJson(call, options);
  const about = (id: string): string => `/api/plugins/${encodeURIComponent(id)}`;
  return {
    url,
    list: () => send('GET', '/api/plugins', readPlugins),
    status: id => send('GET', about(id), readPlugin),
    logs: id => send('GET', `${about(id)}/logs`, readPluginLogs),
    dataDir: async () => (await send('GET', '/api', readService)).dataDir,
    restart: id => send('POST', `${about(id)}/restart`, readPlugin),
    set: (id, changes) => send('PUT', `/api/settings/${encodeURIComponent(id)}`, readObject, JSON.stringify(changes)),
    flight: () => send('GET', '/api/flight', readPresentFlight),
    changeFlight: command => send('POST', '/api/flight', readPresentFlight, formatFlightCommand(command)),
    stopFlight: async () => {
      await send('DELETE', '/api/flight', readFlight);
    },
  };
}

function readObject(json: string): SettingValues {
  return {...readDocument<object>(json, {})};
}

function readPresentFlight(json: string): FlightStatus {
  const flight = readFlight(json);
  if (flight === undefined) throw new AppError({code: 'no-flight'});
  return flight;
}
