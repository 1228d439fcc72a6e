// Documents of the service, told by the types with which it writes them.
import type {RefusedRequest as Refused} from '../../../src/core/domain/access/access.ts';
import type {AllowedOriginList} from '../../../src/core/domain/access/allowed-origins.ts';
import type {Imported as ImportResult} from '../../../src/core/domain/commits/transfer.ts';
import type {PluginSetting, PluginStatus} from '../../../src/core/domain/plugins/plugin.ts';
import type {PluginList as Plugins} from '../../../src/core/protocol/service-documents.ts';
import type {WithTimes} from '../../../src/core/protocol/text/times.ts';

export type {ImportMode} from '../../../src/core/domain/commits/transfer.ts';
export type {PilotList, SamplePilot as Pilot} from '../../../src/core/domain/identity/pilots.ts';
export type {FlightStatus} from '../../../src/core/domain/plugins/flight.ts';
export type {PluginRoute} from '../../../src/core/domain/plugins/plugin.ts';
export type {SettingValues} from '../../../src/core/domain/plugins/user-settings.ts';
export type {DocumentProblem} from '../../../src/core/failures/members/problems.ts';
export type {ListedPage as Listing} from '../../../src/core/protocol/listing.ts';
export type {ServiceDocument, SessionDocument as Session} from '../../../src/core/protocol/service-documents.ts';

/** A plugin. */
export type Plugin = WithTimes<PluginStatus>;

/** Answer of `GET /api/plugins`. */
export type PluginList = WithTimes<Plugins>;

/** Answer of `/api/allowed-origins`. */
export type OriginList = WithTimes<AllowedOriginList>;

/** Requests that a plugin was refused, as `GET /api/access/refused` answers them. */
export type RefusedRequest = WithTimes<Refused>;

/** Answer of `POST /api/import`: what the console shows. */
export type Imported = Omit<ImportResult, 'revision'>;

/** A setting, as `GET /api/settings/{id}/available` describes it. */
export interface Setting extends Omit<PluginSetting, 'options'> {
  readonly key: string;
  readonly options?: readonly SettingOption[];
}

/** A choice of a list. */
export interface SettingOption {
  readonly value: string | number;
  readonly label: string;
}

/** A line that a plugin logged. */
export interface LogLine {
  /** Time (RFC 3339, UTC). */
  readonly loggedAt: string;
  readonly level: string;
  readonly text: string;
}

/** A fault that is switched on, as `GET /api/faults` answers it. The other members depend on its kind. */
export interface Fault extends Readonly<Record<string, unknown>> {
  readonly kind: string;
}

/** Answer of `/api/faults`. */
export interface FaultList {
  readonly faults: readonly Fault[];
}
