; The installer for Windows, for the user alone: makensis -DVERSION=… -DFOLDER=… -DSIZE_KIB=… -DOUT=…
; Silent: /S, with /AUTOSTART for the start at log-on, and /D=FOLDER as the last word. The uninstaller: /S, with /DATA to remove the data too.
; Exit code 2: nothing was changed. 3: installed, and something is left to the user: the PATH, a start, or files that were in use.
; Of 64 bits, as the program is.
Target amd64-unicode
ManifestSupportedOS all
RequestExecutionLevel user
SetCompressor zlib
!include LogicLib.nsh
!include FileFunc.nsh
!include StrFunc.nsh
!include WinMessages.nsh
!include Sections.nsh
${StrStr}
${UnStrStr}
${UnStrRep}

!define CREWROOM '"$INSTDIR\node.exe" "$INSTDIR\node_modules\crewroom\dist\cli\main.js"'
; The first file that an installer writes: it marks the folder as ours, whatever happens then. Other programs have an "uninstall.exe".
!define UNINSTALLER "uninstall-crewroom.exe"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Crewroom"
; Where "crewroom service install" writes the start at log-on.
!define RUN "Software\Microsoft\Windows\CurrentVersion\Run"
; NSIS holds 1,024 characters, and reads a longer value of the registry as none.
!define PATH_LENGTH_MAX 1000
; Of winnt.h and winreg.h: a type of values, a key, and to be told the type of any value as it is.
!define REG_SZ 1
!define HKEY_CURRENT_USER -2147483647
!define RRF_RT_ANY_NOEXPAND 0x1000FFFF

Name "Crewroom ${VERSION}"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\Crewroom"
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"
Var isUpdate
Var wasServing
Var isAtLogOn
Var removesData
Var hasFailed

Page components
Page directory skipForUpdate
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

; The files of the folder beside node_modules.
!macro ForEachFile DO
  !insertmacro ${DO} "node.exe"
  !insertmacro ${DO} "crewroom.cmd"
  !insertmacro ${DO} "crewroom-console.cmd"
  !insertmacro ${DO} "LICENSE"
  !insertmacro ${DO} "LICENSE-NODE"
  !insertmacro ${DO} "README.md"
  !insertmacro ${DO} "CHANGELOG.md"
!macroend

; Ends the service that runs from the folder. Sets the error flag if a program still does: then the service is started again.
!macro Stop UN
Function ${UN}stop
  StrCpy $wasServing "no"
  ClearErrors
  ${IfNot} ${FileExists} "$INSTDIR\node.exe"
    Return
  ${EndIf}
  ${For} $1 0 20
    ; Windows lets nobody write to a program that runs, and a process needs a moment to end.
    ClearErrors
    FileOpen $0 "$INSTDIR\node.exe" a
    ${IfNot} ${Errors}
      FileClose $0
      Return
    ${EndIf}
    ${If} $1 == 0
      nsExec::ExecToLog '${CREWROOM} status'
      Pop $0
      ${If} $0 == 0
        StrCpy $wasServing "yes"
      ${EndIf}
      nsExec::ExecToLog '${CREWROOM} stop'
      Pop $0
    ${Else}
      Sleep 500
    ${EndIf}
  ${Next}
  Call ${UN}startAgain
  SetErrors
FunctionEnd

; Looks whether Windows starts the service from the folder at log-on, not that of a Crewroom in another place.
Function ${UN}findAtLogOn
  StrCpy $isAtLogOn "no"
  ReadRegStr $0 HKCU "${RUN}" "crewroom"
  !if "${UN}" == ""
    ${StrStr} $1 $0 "$\"$INSTDIR\node.exe$\""
  !else
    ${UnStrStr} $1 $0 "$\"$INSTDIR\node.exe$\""
  !endif
  ${If} $1 != ""
    StrCpy $isAtLogOn "yes"
  ${EndIf}
FunctionEnd

; Starts the service as Windows does at log-on. One that the user starts may have flags and variables, such as those of an airline: without them it
; would serve another pilot.
Function ${UN}startAgain
  ${If} $wasServing == "no"
    Return
  ${EndIf}
  nsExec::ExecToLog '${CREWROOM} status'
  Pop $0
  ${If} $0 == 0
    ; It could not be stopped.
    Return
  ${EndIf}
  Call ${UN}findAtLogOn
  ${If} $isAtLogOn == "no"
    SetErrorLevel 3
    MessageBox MB_OK|MB_ICONINFORMATION "Crewroom was stopped: start it again as before." /SD IDOK
    Return
  ${EndIf}
  nsExec::ExecToLog '${CREWROOM} start --detached'
  Pop $0
  nsExec::ExecToLog '${CREWROOM} status'
  Pop $0
  ${If} $0 != 0
    SetErrorLevel 3
    MessageBox MB_OK|MB_ICONEXCLAMATION "Crewroom was stopped, and did not start again: $\"crewroom start$\" says why." /SD IDOK
  ${EndIf}
FunctionEnd

; Leaves the folder as it was, also if it is not ours.
Function ${UN}discard
  ${If} ${FileExists} "$INSTDIR\${UNINSTALLER}"
    RMDir /r "$INSTDIR\new"
    ${If} $isUpdate == "no"
      Delete "$INSTDIR\${UNINSTALLER}"
    ${EndIf}
    ; Only if nothing is in it, as is the next one.
    RMDir "$INSTDIR\old"
  ${EndIf}
  RMDir "$INSTDIR"
FunctionEnd

; Ends with the folder as it was.
Function ${UN}giveUp
  Pop $0
  Call ${UN}discard
  SetErrorLevel 2
  MessageBox MB_OK|MB_ICONSTOP "$0 Nothing was changed." /SD IDOK
  Abort "$0 Nothing was changed."
FunctionEnd
!macroend
!insertmacro Stop ""
!insertmacro Stop "un."

; Writes $0 as the PATH of the user, in the type that it has: Windows replaces variables in a REG_EXPAND_SZ alone, which a new one is.
!macro WritePath UN
Function ${UN}writePath
  System::Call 'advapi32::RegGetValueW(p ${HKEY_CURRENT_USER}, w "Environment", w "Path", i ${RRF_RT_ANY_NOEXPAND}, *i .r1, p 0, p 0) i .r2'
  ${If} $0 == ""
    DeleteRegValue HKCU "Environment" "Path"
  ${ElseIf} $2 == 0
  ${AndIf} $1 == ${REG_SZ}
    WriteRegStr HKCU "Environment" "Path" "$0"
  ${Else}
    WriteRegExpandStr HKCU "Environment" "Path" "$0"
  ${EndIf}
  SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=2000
FunctionEnd
!macroend
!insertmacro WritePath ""
!insertmacro WritePath "un."

Section "Crewroom"
  SectionIn RO
  Call findEarlier
  ${If} $isUpdate == "no"
    ; Another program may have a "node_modules" of its own.
    ${DirState} "$INSTDIR" $0
    ${If} $0 == 1
      Push "$INSTDIR has other files: choose an empty folder."
      Call giveUp
    ${EndIf}
  ${EndIf}
  Call unpack
  Call stop
  ${If} ${Errors}
    Push "A program of Crewroom still runs from $INSTDIR: end it, and try again."
    Call giveUp
  ${EndIf}
  Call replace
  WriteUninstaller "$INSTDIR\${UNINSTALLER}"
  ; Starts the service if none runs, and opens its console.
  CreateShortCut "$SMPROGRAMS\Crewroom.lnk" "$INSTDIR\crewroom-console.cmd" "" "$INSTDIR\node.exe" 0
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Crewroom"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\${UNINSTALLER}"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\${UNINSTALLER}" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" ${SIZE_KIB}
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  Call addToPath
SectionEnd

Section /o "Start when I log in" atLogOn
  nsExec::ExecToLog '${CREWROOM} service install'
  Pop $0
  ${If} $0 != 0
    SetErrorLevel 3
    MessageBox MB_OK|MB_ICONEXCLAMATION "Crewroom is installed, but will not start when you log in: $\"crewroom service install$\" says why." /SD IDOK
  ${EndIf}
SectionEnd

; After the section that lets Windows start the service at log-on.
Section "-start"
  Call startAgain
SectionEnd

Function .onInit
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/AUTOSTART" $1
  ${IfNot} ${Errors}
    !insertmacro SelectSection ${atLogOn}
  ${EndIf}
  ; Two of them would share the data, the PATH and the start at log-on.
  ReadRegStr $0 HKCU "${UNINSTALL}" "InstallLocation"
  ${If} $0 != ""
  ${AndIf} $0 != $INSTDIR
  ${AndIf} ${FileExists} "$0\${UNINSTALLER}"
    SetErrorLevel 2
    MessageBox MB_OK|MB_ICONSTOP "Crewroom is in $0, where an update stays. To have it in $INSTDIR, remove it first: its data stays. Nothing was changed." /SD IDOK
    Quit
  ${EndIf}
FunctionEnd

; If the disk is full, or the user cancels.
Function .onInstFailed
  SetOutPath "$TEMP"
  Call discard
FunctionEnd

Function skipForUpdate
  Call findEarlier
  ${If} $isUpdate == "yes"
    Abort
  ${EndIf}
FunctionEnd

; Looks whether an installer of ours made the folder, if only in part.
Function findEarlier
  StrCpy $isUpdate "no"
  ${If} ${FileExists} "$INSTDIR\${UNINSTALLER}"
    StrCpy $isUpdate "yes"
  ${EndIf}
FunctionEnd

; Puts back what only "old" has: Windows renames nothing to a name that exists.
!macro PutBack NAME
  Rename "$INSTDIR\old\${NAME}" "$INSTDIR\${NAME}"
!macroend

; Writes the new files beside those of the earlier version, which runs meanwhile: all that is likely to fail comes before any change.
Function unpack
  ; Of an installer that was interrupted.
  !insertmacro PutBack "node_modules"
  !insertmacro ForEachFile PutBack
  RMDir /r "$INSTDIR\new"
  RMDir /r "$INSTDIR\old"
  ClearErrors
  ${If} $isUpdate == "no"
    CreateDirectory "$INSTDIR"
    WriteUninstaller "$INSTDIR\${UNINSTALLER}"
  ${EndIf}
  SetOutPath "$INSTDIR\new"
  SetOverwrite try
  File /r "${FOLDER}\*"
  ; Windows moves no folder that a program has as its working directory; the shortcut gets this one.
  SetOutPath "$PROFILE"
  ${If} ${Errors}
    Push "Crewroom cannot be written to $INSTDIR."
    Call giveUp
  ${EndIf}
FunctionEnd

; Moves $1 from folder $2 to folder $3, if it is in the first and not in the second.
Function move
  ; Programs that ended, and those that look for viruses, hold files a moment longer.
  ${For} $4 1 20
    ${IfNot} ${FileExists} "$2\$1"
      Return
    ${EndIf}
    ClearErrors
    Rename "$2\$1" "$3\$1"
    ${IfNot} ${Errors}
      Return
    ${EndIf}
    Sleep 500
  ${Next}
FunctionEnd

; Puts the new form of a file or folder in the place of the earlier one, or leaves the earlier one there.
!macro Replace NAME
  StrCpy $1 "${NAME}"
  Call replaceOne
!macroend
Function replaceOne
  StrCpy $2 "$INSTDIR"
  StrCpy $3 "$INSTDIR\old"
  Call move
  ${IfNot} ${FileExists} "$INSTDIR\$1"
    StrCpy $2 "$INSTDIR\new"
    StrCpy $3 "$INSTDIR"
    Call move
    ${If} ${FileExists} "$INSTDIR\$1"
      Return
    ${EndIf}
    StrCpy $2 "$INSTDIR\old"
    Call move
  ${EndIf}
  StrCpy $hasFailed "yes"
FunctionEnd

; Puts the new files in the place of those of the earlier version.
Function replace
  StrCpy $hasFailed "no"
  CreateDirectory "$INSTDIR\old"
  !insertmacro Replace "node_modules"
  ${If} $hasFailed == "yes"
    Call startAgain
    Push "Another program uses files of $INSTDIR\node_modules: end it, and try again."
    Call giveUp
  ${EndIf}
  !insertmacro ForEachFile Replace
  ${If} $hasFailed == "yes"
    SetErrorLevel 3
    MessageBox MB_OK|MB_ICONEXCLAMATION "Another program uses files of $INSTDIR, and some are still those of the earlier version: end it, and run this again." /SD IDOK
    RMDir /r "$INSTDIR\new"
    ; The next one puts back what is in "old" and nowhere else.
    Return
  ${EndIf}
  RMDir /r "$INSTDIR\new"
  ; Programs that ended, and those that look for viruses, hold files a moment longer.
  ${For} $1 1 20
    RMDir /r "$INSTDIR\old"
    ${IfNot} ${FileExists} "$INSTDIR\old\*.*"
      Return
    ${EndIf}
    Sleep 500
  ${Next}
FunctionEnd

Function addToPath
  ClearErrors
  ReadRegStr $0 HKCU "Environment" "Path"
  ${If} ${Errors}
    ; None, or one that is too long.
    StrCpy $0 ""
    StrCpy $1 0
    ${Do}
      EnumRegValue $2 HKCU "Environment" $1
      ${If} $2 == "Path"
        Call leavePath
        Return
      ${EndIf}
      IntOp $1 $1 + 1
    ${LoopUntil} $2 == ""
  ${EndIf}
  ${StrStr} $2 ";$0;" ";$INSTDIR;"
  ${If} $2 != ""
    Return
  ${EndIf}
  StrLen $1 $0
  StrLen $2 $INSTDIR
  IntOp $1 $1 + $2
  ; A semicolon separates two folders, and Windows replaces variables in them.
  ExpandEnvStrings $2 $INSTDIR
  ${StrStr} $3 $INSTDIR ";"
  ${If} $1 > ${PATH_LENGTH_MAX}
  ${OrIf} $2 != $INSTDIR
  ${OrIf} $3 != ""
    Call leavePath
    Return
  ${EndIf}
  ${If} $0 != ""
    StrCpy $0 "$0;"
  ${EndIf}
  StrCpy $0 "$0$INSTDIR"
  Call writePath
FunctionEnd

Function leavePath
  SetErrorLevel 3
  MessageBox MB_OK|MB_ICONEXCLAMATION "Your PATH is too long to be changed safely, or cannot have this folder, and was left alone. The program is $INSTDIR\crewroom.cmd." /SD IDOK
FunctionEnd

!macro DeleteFile NAME
  Delete "$INSTDIR\${NAME}"
!macroend

Section "Uninstall"
  Call un.askAboutData
  ${If} $removesData == "yes"
    ; Also a service that runs from another place: it has the same data.
    nsExec::ExecToLog '${CREWROOM} stop'
    Pop $0
  ${EndIf}
  Call un.stop
  ${If} ${Errors}
    Push "A program of Crewroom still runs from $INSTDIR: end it, and try again."
    Call un.giveUp
  ${EndIf}
  Call un.removeFromLogOn
  Call un.removeFromPath
  RMDir /r "$INSTDIR\node_modules"
  RMDir /r "$INSTDIR\new"
  RMDir /r "$INSTDIR\old"
  !insertmacro ForEachFile DeleteFile
  Delete "$INSTDIR\${UNINSTALLER}"
  ; Only if nothing else is in it.
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Crewroom.lnk"
  ${If} $removesData == "yes"
    ; Not RMDir, which empties the targets of links.
    nsExec::ExecToLog '"$SYSDIR\cmd.exe" /c rd /s /q "$LOCALAPPDATA\crewroom"'
    Pop $0
    nsExec::ExecToLog '"$SYSDIR\cmd.exe" /c rd /s /q "$APPDATA\crewroom"'
    Pop $0
  ${EndIf}
  DeleteRegKey HKCU "${UNINSTALL}"
SectionEnd

Function un.askAboutData
  StrCpy $removesData "no"
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/DATA" $1
  ${If} ${Errors}
    MessageBox MB_YESNO|MB_DEFBUTTON2 "Remove the data of Crewroom as well: entries, plugins, settings and snapshots?" /SD IDNO IDYES removed
    Return
  ${EndIf}
removed:
  StrCpy $removesData "yes"
FunctionEnd

; Not by "crewroom service uninstall": the value may be that of a Crewroom in another place.
Function un.removeFromLogOn
  Call un.findAtLogOn
  ${If} $isAtLogOn == "yes"
    DeleteRegValue HKCU "${RUN}" "crewroom"
  ${EndIf}
FunctionEnd

Function un.removeFromPath
  ClearErrors
  ReadRegStr $0 HKCU "Environment" "Path"
  StrLen $1 $0
  ; The last three are for two semicolons and the end of the text.
  ${If} ${Errors}
  ${OrIf} $1 > 1021
    Return
  ${EndIf}
  ${UnStrRep} $2 ";$0;" ";$INSTDIR;" ";"
  ; Without the two semicolons that were put around it.
  StrCpy $2 $2 -1 1
  ${If} $2 != $0
    StrCpy $0 $2
    Call un.writePath
  ${EndIf}
FunctionEnd
