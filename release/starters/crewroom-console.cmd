@echo off
"%~dp0node.exe" "%~dp0node_modules\crewroom\dist\cli\main.js" status >nul 2>nul
if not %errorlevel%==0 "%~dp0node.exe" "%~dp0node_modules\crewroom\dist\cli\main.js" start --detached
"%~dp0node.exe" "%~dp0node_modules\crewroom\dist\cli\main.js" console
if not %errorlevel%==0 pause
