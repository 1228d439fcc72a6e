; The installer for Windows, for the user alone: makensis -DVERSION=… -DFOLDER=… -DSIZE_KIB=… -DOUT=…
; Silent: /S, with /AUTOSTART for the start at log-on, and /D=FOLDER as the last word. The uninstaller: /S, with /DATA to remove the data too.
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
${UnStrRep}

!define CREWROOM '"$INSTDIR\node.exe" "$INSTDIR\node_modules\crewroom\dist\cli\main.js"'
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Crewroom"
; Exit code of "crewroom service status" if nothing is installed.
!define NOT_INSTALLED 3
; NSIS holds 1,024 characters, and reads a longer value of the registry as none.
!define PATH_LENGTH_MAX 900

Name "Crewroom ${VERSION}"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\Crewroom"
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"
Var wasAtLogOn

Page components
Page directory
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

; Ends a version that runs, so that its files can be replaced.
!macro Stop UN
Function ${UN}stop
  StrCpy $wasAtLogOn "no"
  ${IfNot} ${FileExists} "$INSTDIR\node_modules\crewroom\dist\cli\main.js"
    Return
  ${EndIf}
  nsExec::ExecToLog '${CREWROOM} service status'
  Pop $0
  ${If} $0 != ${NOT_INSTALLED}
  ${AndIf} $0 != "error"
    StrCpy $wasAtLogOn "yes"
  ${EndIf}
  nsExec::ExecToLog '${CREWROOM} stop'
  Pop $0
  ; Windows lets nobody remove a program that runs, and a process needs a moment to end.
  ${For} $1 1 20
    ClearErrors
    Delete "$INSTDIR\node.exe"
    ${IfNot} ${Errors}
      Return
    ${EndIf}
    Sleep 500
  ${Next}
  MessageBox MB_OK|MB_ICONSTOP "Crewroom still runs from $INSTDIR: end it, and try again. Nothing was changed." /SD IDOK
  SetErrorLevel 2
  Quit
FunctionEnd
!macroend
!insertmacro Stop ""

Section "Crewroom" program
  SectionIn RO
  ; Only the folder of an earlier installer is replaced: another may have a "node_modules" of its own.
  ${IfNot} ${FileExists} "$INSTDIR\uninstall.exe"
  ${OrIfNot} ${FileExists} "$INSTDIR\crewroom-console.cmd"
    ${DirState} "$INSTDIR" $0
    ${If} $0 == 1
      SetErrorLevel 2
      Abort "$INSTDIR has other files: choose an empty folder. Nothing was changed."
    ${EndIf}
  ${EndIf}
  Call stop
  RMDir /r "$INSTDIR\node_modules"
  SetOutPath "$INSTDIR"
  ClearErrors
  File /r "${FOLDER}\*"
  ${If} ${Errors}
    SetErrorLevel 2
    Abort "Crewroom cannot be written to $INSTDIR"
  ${EndIf}
  WriteUninstaller "$INSTDIR\uninstall.exe"
  ; Starts the service if none runs, and opens its console.
  CreateShortCut "$SMPROGRAMS\Crewroom.lnk" "$INSTDIR\crewroom-console.cmd" "" "$INSTDIR\node.exe" 0 SW_SHOWMINIMIZED
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Crewroom"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" ${SIZE_KIB}
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  Call addToPath
  ${If} $wasAtLogOn == "yes"
    nsExec::ExecToLog '${CREWROOM} service install'
    Pop $0
  ${EndIf}
SectionEnd

Section /o "Start when I log in" atLogOn
  nsExec::ExecToLog '${CREWROOM} service install'
  Pop $0
  ${If} $0 != 0
    SetErrorLevel 3
  ${EndIf}
SectionEnd

Function .onInit
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/AUTOSTART" $1
  ${IfNot} ${Errors}
    !insertmacro SelectSection ${atLogOn}
  ${EndIf}
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
        DetailPrint "The PATH is too long to be changed safely: add $INSTDIR to it yourself"
        Return
      ${EndIf}
      IntOp $1 $1 + 1
    ${LoopUntil} $2 == ""
  ${EndIf}
  StrLen $1 $0
  ${If} $1 > ${PATH_LENGTH_MAX}
    DetailPrint "The PATH is too long to be changed safely: add $INSTDIR to it yourself"
    Return
  ${EndIf}
  ${StrStr} $2 ";$0;" ";$INSTDIR;"
  ${If} $2 == ""
    ${If} $0 != ""
      StrCpy $0 "$0;"
    ${EndIf}
    WriteRegExpandStr HKCU "Environment" "Path" "$0$INSTDIR"
    SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=2000
  ${EndIf}
FunctionEnd

!insertmacro Stop "un."

Section "Uninstall"
  ${If} ${FileExists} "$INSTDIR\node.exe"
    nsExec::ExecToLog '${CREWROOM} service uninstall'
    Pop $0
  ${EndIf}
  Call un.stop
  RMDir /r "$INSTDIR\node_modules"
  Delete "$INSTDIR\crewroom.cmd"
  Delete "$INSTDIR\crewroom-console.cmd"
  Delete "$INSTDIR\LICENSE"
  Delete "$INSTDIR\LICENSE-NODE"
  Delete "$INSTDIR\uninstall.exe"
  ; Only if nothing else is in it.
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Crewroom.lnk"
  DeleteRegKey HKCU "${UNINSTALL}"
  Call un.removeFromPath
  Call un.removeData
SectionEnd

Function un.removeFromPath
  ReadRegStr $0 HKCU "Environment" "Path"
  StrLen $1 $0
  ${If} $1 > ${PATH_LENGTH_MAX}
    Return
  ${EndIf}
  ${UnStrRep} $2 ";$0;" ";$INSTDIR;" ";"
  ; Without the two semicolons that were put around it.
  StrCpy $2 $2 -1 1
  ${If} $2 != $0
    WriteRegExpandStr HKCU "Environment" "Path" "$2"
    SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=2000
  ${EndIf}
FunctionEnd

Function un.removeData
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/DATA" $1
  ${If} ${Errors}
    MessageBox MB_YESNO|MB_DEFBUTTON2 "Remove the data of Crewroom as well: entries, plugins, settings and snapshots?" /SD IDNO IDYES remove
    Return
  ${EndIf}
remove:
  ; Not RMDir, which empties the targets of links.
  nsExec::ExecToLog '"$SYSDIR\cmd.exe" /c rd /s /q "$LOCALAPPDATA\crewroom"'
  Pop $0
  nsExec::ExecToLog '"$SYSDIR\cmd.exe" /c rd /s /q "$APPDATA\crewroom"'
  Pop $0
FunctionEnd
